// Runs cases written by the Rust suite in Dawn, which refuses WGSL and binding choices that naga and wgpu let pass.
//
//   node run.mjs CASES.jsonl [--plant] [--all] [--adapter SwiftShader]
//
// One JSON object a line:
//   {"type":"seed","seed":…}                       printed, so that a failure can be made again
//   {"type":"module","name","code"}                a WGSL text
//   {"type":"pipeline","name","module","entry","constants":{…},"layout":"two"|"two_rw"|"one"}
//       must become a compute pipeline. Group 0 holds the source (binding 0; absent in "one", writable in "two_rw") and the
//       destination (binding 1); group 1 a uniform with a dynamic offset. Every one is checked by Dawn on its device without a
//       driver, which compiles no machine code; the driver makes those that a copy names, or with --all every one.
//   {"type":"copy","name","src","dst","expected","one_buffer","scratch","steps":[…]}
//       bytes in base64. A step has a "route", "direct", "into" scratch or "out" of it, and is
//       {"native":{"src_byte","dst_byte","bytes"}} or
//       {"pipeline":NAME,"params":base64,"src":{"offset","size"},"dst":{"offset","size"},"groups":[x,y,z]}.
//       With one_buffer both sides are the buffer that holds dst; scratch is a buffer of so many bytes. Every byte of the destination buffer is compared.
//
// The device keeps the default limits: what runs here fits the baseline that every browser grants.
// --plant flips one expected bit within the first submission and runs no further: the run must then fail.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { create, globals } from 'webgpu';

const COPIES_PER_SUBMISSION = 50;
const PIPELINES_AT_ONCE = 32;
const FAILURES_SHOWN = 20;

const { GPUBufferUsage, GPUMapMode, GPUShaderStage } = globals;
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    plant: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    adapter: { type: 'string', default: 'SwiftShader' },
  },
});
if (positionals.length !== 1) {
  console.error('usage: node run.mjs CASES.jsonl [--plant] [--all] [--adapter NAME]');
  process.exit(2);
}

let passed = 0;
let failed = 0;
function pass() {
  passed += 1;
}
function fail(name, message) {
  failed += 1;
  if (failed <= FAILURES_SHOWN) console.error(`FAILED ${name}: ${message}`);
  if (failed === FAILURES_SHOWN) console.error('… further failures are only counted');
}

/** A device of Dawn with what pipelines need there: on a driver that runs them, or on none, which only checks. */
async function deviceOn(...flags) {
  const gpu = create(flags);
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error(`Dawn has no adapter for ${flags.join(' ')}`);
  const device = await adapter.requestDevice();
  console.log(`Dawn on ${adapter.info.vendor} ${adapter.info.device} ${adapter.info.description}`);
  // Everything below stands in error scopes; what still arrives here escaped them and must not go unseen.
  device.addEventListener('uncapturederror', (event) => fail('uncaptured error', event.error.message));
  device.lost.then((info) => {
    if (info.reason !== 'destroyed') fail('device lost', info.message);
  });
  const storage = (binding, type) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } });
  const uniforms = device.createBindGroupLayout({
    entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'uniform', hasDynamicOffset: true } }],
  });
  const layouts = {};
  for (const [name, entries] of Object.entries({
    two: [storage(0, 'read-only-storage'), storage(1, 'storage')],
    two_rw: [storage(0, 'storage'), storage(1, 'storage')],
    one: [storage(1, 'storage')],
  })) {
    const buffers = device.createBindGroupLayout({ entries });
    layouts[name] = { buffers, pipeline: device.createPipelineLayout({ bindGroupLayouts: [buffers, uniforms] }) };
  }
  const modules = new Map();
  /** The module of a WGSL text, or the compiler's words: a pipeline's own error would only say that its module is invalid. */
  const moduleOf = (code) => {
    if (!modules.has(code)) {
      device.pushErrorScope('validation');
      const module = device.createShaderModule({ code });
      const scope = device.popErrorScope();
      const checked = (async () => {
        const error = await scope;
        if (error) throw new Error(error.message);
        return module;
      })();
      checked.catch(() => {});
      modules.set(code, checked);
    }
    return modules.get(code);
  };
  const make = async ({ module: text, entry, constants, layout }) => {
    if (!layouts[layout]) throw new Error(`unknown layout ${layout}`);
    if (!texts.has(text)) throw new Error(`unknown module ${text}`);
    const module = await moduleOf(texts.get(text));
    return device.createComputePipelineAsync({
      layout: layouts[layout].pipeline,
      compute: { module, entryPoint: entry, constants },
    });
  };
  return { gpu, adapter, device, uniforms, layouts, make };
}

const texts = new Map();
const checks = await deviceOn('backend=null');
const runs = await deviceOn('backend=vulkan', `adapter=${options.adapter}`);
// Dawn's instances go with these objects, and everything made from them would dangle.
globalThis.keptAlive = [checks, runs];
const { device, layouts, uniforms: uniformLayout } = runs;

const pipelines = new Map();
/** Checks a pipeline. The driver makes it once a copy names it: most of the time of a run is that. */
function addPipeline(record) {
  const { name, layout } = record;
  if (pipelines.has(name)) return fail(name, 'a second pipeline of that name');
  let made = null;
  const make = () => (made ??= runs.make(record).then((pipeline) => ({ pipeline, layout })));
  pipelines.set(name, make);
  // A planted bit needs no others than its copies name.
  if (options.plant) return null;
  const checked = options.all ? Promise.all([checks.make(record), make()]) : checks.make(record);
  return checked.then(pass, (error) => fail(name, error.message));
}

/** What the device without a driver must refuse, or its word on a pipeline is worth nothing. */
async function mustRefuse(code, constants) {
  texts.set('refused', code);
  const made = await checks.make({ module: 'refused', entry: 'main', constants, layout: 'one' }).catch(() => null);
  if (made) fail('refusal', `Dawn took ${code} with ${JSON.stringify(constants)}`);
  else pass();
}
const sized = 'override LANES: u32 = 1; @compute @workgroup_size(LANES) fn main() {}';
await mustRefuse('@compute @workgroup_size(1) fn main() { let word: u32 = 1i; }', {});
await mustRefuse(sized, { LANES: 257 });
await mustRefuse(sized, { ITEMS: 1 });

const bytesOf = (base64) => Buffer.from(base64, 'base64');
const align = (n, to) => Math.ceil(n / to) * to;

function filledBuffer(bytes, usage) {
  const size = Math.max(align(bytes.length, 4), 4);
  const buffer = device.createBuffer({ size, usage, mappedAtCreation: true });
  new Uint8Array(buffer.getMappedRange()).set(bytes);
  buffer.unmap();
  return buffer;
}

/** All parameter blocks of a submission in one buffer, each at the device's alignment, so that binding needs only an offset. */
function layParams(copies) {
  const step = device.limits.minUniformBufferOffsetAlignment;
  const blocks = [];
  let end = 0;
  for (const copy of copies) {
    for (const s of copy.steps) {
      if (!s.pipeline) continue;
      const bytes = bytesOf(s.params);
      blocks.push({ step: s, bytes, offset: end });
      end = align(end + bytes.length, step);
    }
  }
  const whole = new Uint8Array(Math.max(end, 16));
  for (const { bytes, offset } of blocks) whole.set(bytes, offset);
  const buffer = filledBuffer(whole, GPUBufferUsage.UNIFORM);
  const groups = new Map();
  const places = new Map();
  for (const { step: s, bytes, offset } of blocks) {
    const size = bytes.length;
    if (!groups.has(size)) {
      groups.set(size, device.createBindGroup({ layout: uniformLayout, entries: [{ binding: 0, resource: { buffer, size } }] }));
    }
    places.set(s, { group: groups.get(size), offset });
  }
  return { buffer, places };
}

function record(encoder, copy, made, places) {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const dst = filledBuffer(bytesOf(copy.dst), usage);
  const src = copy.one_buffer ? dst : filledBuffer(bytesOf(copy.src), usage);
  const scratch = copy.scratch > 0 ? device.createBuffer({ size: copy.scratch, usage }) : null;
  const ends = { direct: [src, dst], into: [src, scratch], out: [scratch, dst] };
  const groups = new Map();
  let pass = null;
  for (const step of copy.steps) {
    const [from, to] = ends[step.route];
    if (step.native) {
      // Native copies cannot stand inside a pass; ending it here keeps the order of the steps.
      pass?.end();
      pass = null;
      encoder.copyBufferToBuffer(from, step.native.src_byte, to, step.native.dst_byte, step.native.bytes);
      continue;
    }
    const { pipeline, layout } = made.get(step.pipeline);
    const key = [layout, step.route, step.src?.offset, step.src?.size, step.dst.offset, step.dst.size].join();
    if (!groups.has(key)) {
      const entries = [{ binding: 1, resource: { buffer: to, offset: step.dst.offset, size: step.dst.size } }];
      if (layout !== 'one') {
        entries.unshift({ binding: 0, resource: { buffer: from, offset: step.src.offset, size: step.src.size } });
      }
      groups.set(key, device.createBindGroup({ layout: layouts[layout].buffers, entries }));
    }
    const params = places.get(step);
    pass ??= encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, groups.get(key));
    pass.setBindGroup(1, params.group, [params.offset]);
    pass.dispatchWorkgroups(...step.groups);
  }
  pass?.end();
  return { src, dst, scratch };
}

/** Starts to make what copies name, some at a time: Dawn starts a thread for each. */
async function makeAll(copies) {
  const names = new Set(copies.flatMap((copy) => copy.steps.map((step) => step.pipeline)));
  const wanted = [...names].filter((name) => pipelines.has(name));
  while (wanted.length > 0) await Promise.allSettled(wanted.splice(0, PIPELINES_AT_ONCE).map((name) => pipelines.get(name)()));
}

/** Runs copies in one submission. Gives the bytes of each destination buffer, or throws with what Dawn objected to. */
async function submit(copies, made) {
  const filters = ['validation', 'out-of-memory', 'internal'];
  for (const filter of filters) device.pushErrorScope(filter);
  const buffers = [];
  let staging = null;
  let mapped = null;
  let thrown = null;
  const ranges = [];
  try {
    const params = layParams(copies);
    buffers.push(params.buffer);
    const encoder = device.createCommandEncoder();
    const sides = copies.map((copy) => record(encoder, copy, made, params.places));
    for (const { src, dst, scratch } of sides) buffers.push(src, dst, ...(scratch ? [scratch] : []));
    let end = 0;
    for (const { dst } of sides) {
      ranges.push({ offset: end, size: dst.size });
      end += align(dst.size, 8);
    }
    staging = device.createBuffer({ size: end, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    buffers.push(staging);
    sides.forEach(({ dst }, i) => encoder.copyBufferToBuffer(dst, 0, staging, ranges[i].offset, dst.size));
    device.queue.submit([encoder.finish()]);
    mapped = staging.mapAsync(GPUMapMode.READ);
    mapped.catch(() => {});
  } catch (error) {
    thrown = error; // arguments that do not even convert, such as a negative offset
  }
  const errors = await Promise.all(filters.map(() => device.popErrorScope()));
  try {
    const objection = errors.find((error) => error) ?? thrown;
    if (objection) throw new Error(objection.message);
    await mapped;
    const all = new Uint8Array(staging.getMappedRange());
    return ranges.map(({ offset, size }) => all.slice(offset, offset + size));
  } finally {
    for (const buffer of buffers) buffer.destroy();
  }
}

function compare(copy, got) {
  const expected = bytesOf(copy.expected);
  const length = bytesOf(copy.dst).length;
  if (expected.length !== length) return fail(copy.name, `expected has ${expected.length} bytes, the destination ${length}`);
  for (let i = 0; i < got.length; i += 1) {
    const want = i < length ? expected[i] : 0;
    if (got[i] !== want) {
      const hex = (byte) => `0x${byte.toString(16).padStart(2, '0')}`;
      return fail(copy.name, `byte ${i} of ${length} is ${hex(got[i])}, not ${hex(want)}`);
    }
  }
  return pass();
}

/** The pipelines that a copy names, or the reason why it cannot run. */
async function pipelinesOf(copy, made) {
  for (const { pipeline: name } of copy.steps) {
    if (!name || made.has(name)) continue;
    if (!pipelines.has(name)) throw new Error(`no pipeline record named ${name} before this copy`);
    made.set(name, await pipelines.get(name)());
  }
}

async function runAll(copies) {
  const made = new Map();
  const ready = [];
  for (const copy of copies) {
    try {
      await pipelinesOf(copy, made);
      ready.push(copy);
    } catch (error) {
      fail(copy.name, error.message);
    }
  }
  if (ready.length === 0) return;
  try {
    const results = await submit(ready, made);
    ready.forEach((copy, i) => compare(copy, results[i]));
  } catch (error) {
    // One wrong copy spoils its whole submission: alone, each answers for itself.
    if (ready.length === 1) fail(ready[0].name, error.message);
    else for (const copy of ready) await runAll([copy]);
  }
}

function plant(copies) {
  const victim = copies.find((copy) => copy.expected.length > 0);
  if (!victim) throw new Error('--plant found no copy with an expected byte in the first submission');
  const bytes = bytesOf(victim.expected);
  const at = bytes.length >> 1;
  bytes[at] ^= 0x10;
  victim.expected = bytes.toString('base64');
  console.log(`planted a wrong bit in byte ${at} of ${victim.name}`);
}

const counts = { pipeline: 0, copy: 0 };
const building = [];
let batch = [];
const flush = async () => {
  if (batch.length === 0) return;
  const copies = batch;
  batch = [];
  if (options.plant) plant(copies);
  await makeAll(copies);
  await runAll(copies);
};
const lines = createInterface({ input: createReadStream(positionals[0]), crlfDelay: Infinity });
for await (const line of lines) {
  if (!line.trim()) continue;
  const item = JSON.parse(line);
  if (item.type === 'seed') console.log(`seed ${item.seed}`);
  else if (item.type === 'module') texts.set(item.name, item.code);
  else if (item.type === 'pipeline') building.push(addPipeline(item));
  else if (item.type === 'copy') batch.push(item);
  else fail('record', `unknown type ${item.type}`);
  if (item.type in counts) counts[item.type] += 1;
  // Dawn starts a thread for each pipeline that is being made.
  if (building.length >= PIPELINES_AT_ONCE) await Promise.all(building.splice(0));
  if (batch.length >= COPIES_PER_SUBMISSION) {
    await flush();
    if (options.plant) break;
  }
}
await flush();
await Promise.all(building);
if (options.plant && counts.copy === 0) fail('--plant', 'there is no copy to spoil');
if (passed + failed === 0) fail(positionals[0], 'holds neither a pipeline nor a copy');
console.log(`${counts.pipeline} pipelines, ${counts.copy} copies`);
console.log(`${passed} passed, ${failed} failed`);
// Dawn's own threads would keep the process alive.
device.destroy();
checks.device.destroy();
process.exit(failed === 0 ? 0 : 1);
