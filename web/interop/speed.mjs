// restride beside TensorFlow.js and ONNX Runtime Web in the same Chromium: prints the table of README.md. No test, and not for CI.
//
//   npm ci && node speed.mjs [--tries 3] [--rounds 6] [--explain] [--path PROGRAM]
//
// A row is the median of the tries; a try is the best of its rounds on each side.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { open } from './chromium.mjs';

const { values: options } = parseArgs({
  options: {
    tries: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '6' },
    explain: { type: 'boolean', default: false },
    path: { type: 'string' },
  },
});
const { adapter, browser, rows } = await open(`speed&tries=${options.tries}&rounds=${options.rounds}`, { path: options.path, patienceMs: 1_800_000 });
const { devDependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url)));
console.log(`\nChromium ${browser}, ${adapter}; TensorFlow.js ${devDependencies['@tensorflow/tfjs-core']}, ONNX Runtime Web ${devDependencies['onnxruntime-web']}\n`);
console.log('| f32 | N | against | theirs, ms | ours, ms | theirs / ours |');
console.log('|---|---|---|---|---|---|');
for (const { shape, axes, count, peer, ours, theirs, ratio } of rows) {
  console.log(`| [${shape}] by (${axes}) | ${count} | ${peer} | ${theirs.toFixed(1)} | ${ours.toFixed(1)} | **${ratio.toFixed(1)}** |`);
}
if (options.explain) for (const { shape, explanation } of rows.filter(({ peer }) => peer === rows[0].peer)) console.log(`\n[${shape}]\n${explanation}`);
