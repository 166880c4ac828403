// The suite where WebGPU is `navigator.gpu`: interface, copies, speed.
import { runApi } from './api.js';
import { runCopies } from './copies.js';
import { Report } from './report.js';
import { measure } from './speed.js';

/** The lines of a URL's text, as they arrive. */
async function* linesOf(url) {
  let rest = '';
  for await (const text of chunks((await fetch(url)).body.pipeThrough(new TextDecoderStream()))) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    yield* lines.filter((line) => line);
  }
  if (rest) yield rest;
}

/** Not every browser iterates a stream. */
async function* chunks(stream) {
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}

export async function run({ api, say, where, plant = false, most = Infinity, cases = '/cases.jsonl', wasm, gpu = navigator.gpu }) {
  const adapter = await gpu?.requestAdapter();
  if (!adapter) throw new Error(`no WebGPU adapter in the ${where}`);
  const device = await adapter.requestDevice();
  const { vendor, architecture, device: name, description } = adapter.info ?? {};
  await say(`${where}: ${[vendor, architecture, name, description].filter((word) => word).join(' ')}`);
  const report = new Report((line) => say(`${where}: ${line}`));
  device.addEventListener('uncapturederror', (event) => report.fail('uncaptured error', event.error.message));
  if (!plant) await runApi({ api, device, lost: async () => (await gpu.requestAdapter()).requestDevice(), report, wasm });
  const restride = await api.Restride.create(device, { wasm });
  const wanted = plant ? 50 : most;
  const copies = await runCopies({ restride, device, lines: linesOf(cases), report, plant, most: wanted });
  if (copies < Math.min(wanted, 2000)) report.fail('copies', `only ${copies}`);
  if (!plant) {
    const { best, median } = await measure({ restride, device });
    await say(`${where}: a 1 MiB transpose, warm: best ${best.toFixed(2)} ms, median ${median.toFixed(2)} ms`);
  }
  await say(`${where}: ${copies} copies, ${restride.pipelineCount} pipelines`);
  device.destroy();
  return { passed: report.passed, failed: report.failed };
}
