// Plans made by the planner's module, compared byte for byte with those that Rust made natively; refusals word for word, and shaders
// but for their names, which the package shortens.
//
//   node plans.mjs PLANS.jsonl [--plant]
//
// --plant changes one bit of the first plan: the run must then fail.

import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Planner } from '../src/planner.js';
import { Report } from './report.js';

/** The name that the package has for each, and for each of the package's the one that is meant. */
const names = [new Map(), new Map()];
const other = (map, name, found) => (map.has(name) ? map.get(name) : map.set(name, found).get(name));

/** Whether two shaders are one text but for names, and each name is one other in all shaders. */
function alike(ours, theirs) {
  const [a, b] = [ours, theirs].map((text) => text.match(/@?\w+|[^]/g) ?? []);
  const isName = (token) => /^[A-Za-z_]/.test(token);
  const same = (x, y) => (isName(x) && isName(y) ? other(names[0], x, y) === y && other(names[1], y, x) === x : x === y);
  return a.length === b.length && a.every((token, at) => same(token, b[at]));
}

const [file, plant] = process.argv.slice(2);
const planner = await Planner.load(readFileSync(new URL('../dist/planner.wasm', import.meta.url)));
const report = new Report();
const counts = { shader: 0, plan: 0, error: 0 };
for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
  const record = JSON.parse(line);
  if (record.type === 'seed') report.note(`seed ${record.seed}`);
  if (record.type === 'shader') {
    counts.shader += 1;
    // The package's texts are one line each.
    if (alike(planner.shader(record.id), record.code.replaceAll('\n', ''))) report.pass();
    else report.fail(`shader ${record.id}`, 'another text');
  }
  if (record.type !== 'plan') continue;
  const [[kind, wanted]] = Object.entries(record.answer);
  let found;
  try {
    const { bytes } = planner.call('plan', record.numbers, record.text);
    if (plant && counts.plan === 0 && kind === 'plan') {
      bytes[bytes.length >> 1] ^= 1;
      report.note(`planted a wrong bit in plan ${counts.plan + counts.error}`);
    }
    found = Buffer.from(bytes).toString('base64');
  } catch (error) {
    found = error.message;
  }
  counts[kind] += 1;
  if (found === wanted) report.pass();
  else report.fail(`plan ${counts.plan + counts.error}`, `${JSON.stringify(record.numbers)}: ${found.slice(0, 200)} is not ${wanted.slice(0, 200)}`);
}
console.log(`${counts.shader} shaders, ${counts.plan} plans, ${counts.error} refusals`);
if (counts.shader === 0) report.fail('shaders', 'none');
if (counts.plan + counts.error < 10_000) report.fail('plans', 'fewer than 10,000');
console.log(`${report.passed} passed, ${report.failed} failed`);
process.exit(report.failed === 0 ? 0 : 1);
