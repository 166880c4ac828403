// The interop test: buffers of TensorFlow.js and of ONNX Runtime Web, on their own devices, in headless Chromium.
//
//   npm ci && node interop.mjs [--plant] [--path PROGRAM]
//
// The package must have been built before (node ../build.mjs). --plant puts a wrong bit into the first expectation: the run must
// then fail.

import { parseArgs } from 'node:util';
import { open } from './chromium.mjs';

const { values: options } = parseArgs({ options: { plant: { type: 'boolean', default: false }, path: { type: 'string' } } });
const { passed, failed } = await open(options.plant ? 'plant' : '', { path: options.path, patienceMs: 180_000 });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
