// The device, and what is done on it: a copy, its result, and its time beside the native copy's.

const USAGE = 0x80 | 0x8 | 0x4; // STORAGE | COPY_DST | COPY_SRC
const [READ, COPY_DST, COPY_SRC, RESOLVE] = [0x1, 0x8, 0x4, 0x200];

/** What a WebGPU device grants at the least: what plans respect where there is no device. */
const BASELINE = {
  maxStorageBufferBindingSize: 2 ** 27,
  minStorageBufferOffsetAlignment: 256,
  minUniformBufferOffsetAlignment: 256,
  maxUniformBufferBindingSize: 65536,
  maxBufferSize: 2 ** 28,
  maxComputeWorkgroupsPerDimension: 65535,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
};

/** Why there is no device: `insecure`, `absent` or `adapter`, which the page has an answer to each. */
export class NoDevice extends Error {
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

/** A device and what is known of its adapter. */
export async function findDevice() {
  if (!navigator.gpu) throw new NoDevice(isSecureContext ? 'absent' : 'insecure', 'navigator.gpu is not there');
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new NoDevice('adapter', 'requestAdapter() found none');
  const requiredFeatures = ['timestamp-query'].filter((feature) => adapter.features.has(feature));
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  let device;
  try {
    device = await adapter.requestDevice({ requiredFeatures, requiredLimits: { maxBufferSize, maxStorageBufferBindingSize } });
  } catch (error) {
    throw new NoDevice('adapter', error.message);
  }
  const { vendor, architecture, device: name, description } = adapter.info ?? {};
  const words = [...new Set([vendor, architecture, description || name].filter((word) => word))].join(' ');
  const software = adapter.info?.isFallbackAdapter || /swiftshader|llvmpipe|basic render/i.test(words);
  return { device, adapter: words || 'an adapter that does not say its name', software };
}

/** What `Restride.create` takes for a device where there is none: the baseline's limits, so that copies can be planned. */
export const noDevice = () => ({
  limits: BASELINE,
  lost: new Promise(() => {}),
  createBindGroupLayout: () => ({}),
  createPipelineLayout: () => ({}),
  createComputePipelineAsync: () => Promise.reject(new Error('there is no device')),
});

/** What a plan needs to know of a buffer, without the buffer. */
export const imagined = (bytes) => ({ size: roomFor(bytes), usage: USAGE, destroy() {} });

/** Whole words, as the shaders and the native copy count. */
const roomFor = (bytes) => Math.max(Math.ceil(bytes / 16) * 16, 16);

/** A buffer with these bytes. */
export function upload(device, bytes) {
  const buffer = device.createBuffer({ label: 'source', size: roomFor(bytes.length), usage: USAGE, mappedAtCreation: true });
  new Uint8Array(buffer.getMappedRange()).set(bytes);
  buffer.unmap();
  return buffer;
}

/** Copies a view into a buffer of its own: `{prepared, buffer, bytes}`, the bytes as they were read back. */
export async function materialise(restride, view, dstOf) {
  const { device } = restride;
  const buffer = device.createBuffer({ label: 'result', size: roomFor(view.byteLength), usage: USAGE });
  const staging = device.createBuffer({ label: 'read back', size: buffer.size, usage: READ | COPY_DST });
  try {
    const prepared = await restride.prepare(view, dstOf(buffer));
    const encoder = device.createCommandEncoder();
    prepared.record(encoder);
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(READ);
    const bytes = new Uint8Array(staging.getMappedRange()).slice(0, view.byteLength);
    return { prepared, buffer, bytes };
  } catch (error) {
    buffer.destroy();
    throw error;
  } finally {
    staging.destroy();
  }
}

/** How long a sample should last at the least, and at the most where one copy allows; the most copies in it; how often both are sampled. */
const [SAMPLE_MS, LONGEST_MS, MOST_COPIES, ROUNDS] = [8, 150, 256, 5];

/**
 * The time of one recording of `prepared` and of one native copy of `bytes` bytes, in milliseconds: each the best of several samples,
 * taken in turn, of `copies` copies in one submission. Both by one clock: the GPU's, if it has timestamps, else the page's. Gives
 * undefined once `wanted` is false.
 */
export async function measure(device, prepared, buffer, bytes, wanted) {
  const size = Math.ceil(bytes / 4) * 4;
  const spare = device.createBuffer({ label: 'native copy', size: roomFor(bytes), usage: USAGE });
  const ours = (encoder) => prepared.record(encoder);
  const native = (encoder) => encoder.copyBufferToBuffer(buffer, 0, spare, 0, size);
  const wall = (body, copies) => onWall(device, body, copies);
  const gpu = device.features.has('timestamp-query') ? timestamps(device) : undefined;
  try {
    // The clocks of browsers are coarse: many copies make a sample, the same number of both kinds.
    for (const body of [ours, native]) await wall(body, 1);
    const most = Math.min(MOST_COPIES, Math.max(1, Math.floor(LONGEST_MS / Math.max(await wall(ours, 1), 0.1))));
    let copies = 1;
    while (copies < most && (await wall(native, copies)) < SAMPLE_MS) copies = Math.min(copies * 2, most);
    const stamped = gpu && plausible(await gpu.sample(ours, copies)) && plausible(await gpu.sample(native, copies));
    const sample = stamped ? async (...work) => (await gpu.sample(...work)).stamped : wall;
    const best = { ours: Infinity, native: Infinity };
    for (let round = 0; round < ROUNDS; round += 1) {
      if (!wanted()) return undefined;
      best.ours = Math.min(best.ours, (await sample(ours, copies)) / copies);
      best.native = Math.min(best.native, (await sample(native, copies)) / copies);
    }
    return { ...best, copies, rounds: ROUNDS, clock: stamped ? 'gpu' : 'wall' };
  } finally {
    spare.destroy();
    gpu?.destroy();
  }
}

/**
 * A driver may leave timestamps at 0, or take them before or after the copies that they should enclose: then a time that the page
 * has clearly seen pass is missing in them.
 */
const plausible = ({ stamped, walled }) => stamped > 0 && stamped < walled + 0.5 && (stamped > walled / 20 || walled < 20);

/** By the page's clock: from before the submission until the queue is done. Recording is not part of it. */
async function onWall(device, body, copies) {
  const encoder = device.createCommandEncoder();
  for (let i = 0; i < copies; i += 1) body(encoder);
  const commands = encoder.finish();
  await device.queue.onSubmittedWorkDone();
  const start = performance.now();
  device.queue.submit([commands]);
  await device.queue.onSubmittedWorkDone();
  return performance.now() - start;
}

/**
 * By the GPU's clock: native copies have no pass of their own, so empty passes before and after the copies take the time. A sample is
 * that time and, to judge it by, the page's.
 */
function timestamps(device) {
  const querySet = device.createQuerySet({ type: 'timestamp', count: 2 });
  const resolved = device.createBuffer({ size: 16, usage: RESOLVE | COPY_SRC });
  const staging = device.createBuffer({ size: 16, usage: READ | COPY_DST });
  return {
    async sample(body, copies) {
      const encoder = device.createCommandEncoder();
      encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: 0 } }).end();
      for (let i = 0; i < copies; i += 1) body(encoder);
      encoder.beginComputePass({ timestampWrites: { querySet, beginningOfPassWriteIndex: 1 } }).end();
      encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, staging, 0, 16);
      const commands = encoder.finish();
      const start = performance.now();
      device.queue.submit([commands]);
      await staging.mapAsync(READ);
      const walled = performance.now() - start;
      const [begin, end] = new BigUint64Array(staging.getMappedRange().slice(0));
      staging.unmap();
      return { stamped: Number(end - begin) / 1e6, walled };
    },
    destroy() {
      for (const object of [querySet, resolved, staging]) object.destroy();
    },
  };
}
