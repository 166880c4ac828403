// The suite in Deno, on the first adapter that it grants.
//
//   deno run --allow-read --allow-env test/deno.mjs CASES.jsonl [--plant]

import * as api from '../dist/index.js';
import { run } from './run.js';

const [cases, plant] = Deno.args;
const found = await run({
  api,
  where: 'Deno',
  plant: plant === '--plant',
  say: async (line) => console.log(line),
  cases: new URL(cases, `file://${Deno.cwd()}/`),
});
console.log(`${found.passed} passed, ${found.failed} failed`);
Deno.exit(found.failed === 0 && found.passed > 0 ? 0 : 1);
