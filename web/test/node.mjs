// The suite in Node, on Dawn and a Vulkan adapter.
//
//   node node.mjs CASES.jsonl [--plant] [--adapter SwiftShader]
//
// --plant puts a wrong bit into the first expectation and runs one submission: the run must then fail.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import * as api from 'restride';
import { create } from 'webgpu';
import { runApi } from './api.js';
import { runCopies } from './copies.js';
import { Report } from './report.js';
import { measure } from './speed.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { plant: { type: 'boolean', default: false }, adapter: { type: 'string', default: 'SwiftShader' } },
});
const gpu = create(['backend=vulkan', `adapter=${options.adapter}`]);
const adapter = await gpu.requestAdapter();
// Dawn's instance goes with these objects, and everything made from it would dangle.
globalThis.keptAlive = [gpu, adapter];
if (!adapter) throw new Error(`Dawn has no Vulkan adapter named like ${options.adapter}`);
const device = await adapter.requestDevice();
console.log(`Dawn on ${adapter.info.vendor} ${adapter.info.device}, ${adapter.info.description}`);

const report = new Report();
device.addEventListener('uncapturederror', (event) => report.fail('uncaptured error', event.error.message));
// An adapter gives one device: another adapter gives the one that is to be lost.
const lost = async () => (await gpu.requestAdapter()).requestDevice();
if (!options.plant) await runApi({ api, device, lost, report });

const restride = await api.Restride.create(device);
const lines = createInterface({ input: createReadStream(positionals[0]), crlfDelay: Infinity });
const copies = await runCopies({ restride, device, lines, report, plant: options.plant, most: options.plant ? 50 : Infinity });
if (!options.plant) {
  const { best, median } = await measure({ restride, device });
  console.log(`a 1 MiB transpose, warm: best ${best.toFixed(2)} ms, median ${median.toFixed(2)} ms`);
  if (copies < 2000) report.fail('copies', `${copies}, not 2000`);
}
console.log(`${copies} copies, ${restride.pipelineCount} pipelines`);
console.log(`${report.passed} passed, ${report.failed} failed`);
device.destroy();
process.exit(report.failed === 0 && report.passed > 0 ? 0 : 1);
