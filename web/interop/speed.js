// Permutations of float32 tensors: TensorFlow.js and ONNX Runtime against restride on the same device and the same input buffer.
//
// A run is N operations and one wait: for the queue's end, and not for any reading. Every operation writes an output of its own,
// of which there are N on each side, made before. The two sides take turns, and so does which of them is first.

import { onnxRuntime, read, tensorFlow } from './frameworks.js';
import { model, node } from './onnx.js';

const product = (numbers) => numbers.reduce((a, b) => a * b, 1);
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** `count` is N: small, as a transpose through workgroup memory takes whole seconds where barriers are slow. */
const CASES = [
  { shape: [8, 64, 128, 64], axes: [0, 2, 1, 3], count: 4 },
  { shape: [64, 64, 64, 64], axes: [3, 2, 1, 0], count: 2 },
  { shape: [2048, 2048], axes: [1, 0], count: 2 },
];

/** How long the rounds of a try go on, in milliseconds; there is always one. */
const BUDGET = 15_000;

async function timed(device, work) {
  await device.queue.onSubmittedWorkDone();
  const start = performance.now();
  await work();
  await device.queue.onSubmittedWorkDone();
  return performance.now() - start;
}

/** restride: `count` copies of one buffer to `count` others, planned anew each, in one submission. */
async function ours({ restride, device }, buffer, { shape, axes, count }) {
  const src = restride.view({ buffer, dtype: 'float32', shape }).permute(axes);
  const outputs = Array.from({ length: count }, () =>
    restride.view({ buffer: device.createBuffer({ size: src.byteLength, usage: buffer.usage }), dtype: 'float32', shape: src.shape }),
  );
  await restride.warm(src, outputs[0]);
  return {
    output: outputs[count - 1].buffer,
    explanation: restride.explain(src, outputs[0]),
    work() {
      const encoder = device.createCommandEncoder();
      for (const dst of outputs) restride.copy(encoder, src, dst);
      device.queue.submit([encoder.finish()]);
    },
    release() {
      for (const { buffer } of outputs) buffer.destroy();
    },
  };
}

/** Runs in turns; the best of each side in milliseconds an operation. */
async function compare({ device }, mine, theirs, { count }, rounds) {
  const best = { ours: Infinity, theirs: Infinity };
  const sides = { ours: mine, theirs };
  // Makes pipelines and buffers.
  for (const { work } of Object.values(sides)) await timed(device, work);
  const start = performance.now();
  for (let round = 0; round === 0 || (round < rounds && performance.now() - start < BUDGET); round += 1) {
    for (const side of round % 2 ? ['theirs', 'ours'] : ['ours', 'theirs']) {
      best[side] = Math.min(best[side], (await timed(device, sides[side].work)) / count);
    }
  }
  return best;
}

async function same(device, a, b, bytes) {
  const [one, other] = [await read(device, a, bytes / 4), await read(device, b, bytes / 4)];
  if (one.some((word, i) => word !== other[i])) throw new Error('the two sides differ');
}

async function againstTensorFlow(rounds) {
  const framework = await tensorFlow();
  const { tf, device } = framework;
  return async (task) => {
    const { shape, axes, count } = task;
    const tensor = tf.mul(tf.reshape(tf.range(0, product(shape)), shape), 1);
    // Every N operations are a submission, counted from the last one, which this makes.
    tf.env().set('WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE', count);
    const { buffer, tensorRef } = tensor.dataToGPU();
    const mine = await ours(framework, buffer, task);
    let made = [];
    const theirs = {
      work() {
        // The outputs of the last run go back to the backend's pool, and this run takes them from there.
        for (const each of made) each.dispose();
        made = Array.from({ length: count }, () => tf.transpose(tensor, axes));
      },
    };
    const best = await compare(framework, mine, theirs, task, rounds);
    const last = made[count - 1].dataToGPU();
    await same(device, mine.output, last.buffer, 4 * product(shape));
    for (const each of [last.tensorRef, ...made]) each.dispose();
    mine.release();
    tensorRef.dispose();
    tensor.dispose();
    return { ...best, explanation: mine.explanation };
  };
}

async function againstOnnxRuntime(rounds) {
  const framework = await onnxRuntime();
  const { ort, session, device } = framework;
  return async (task) => {
    const { shape, axes, count } = task;
    const [bytes, to] = [4 * product(shape), axes.map((axis) => shape[axis])];
    const buffer = device.createBuffer({ size: bytes, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(buffer, 0, Float32Array.from({ length: product(shape) }, (_, i) => i));
    // One run of a model with N nodes; unoptimised, lest it sees that they are the same.
    const names = Array.from({ length: count }, (_, i) => `y${i}`);
    const nodes = names.map((name) => node('Transpose', ['x'], [name], { perm: axes }));
    const run = await session(model(nodes, { x: shape }, Object.fromEntries(names.map((name) => [name, to]))), { graphOptimizationLevel: 'disabled' });
    const input = ort.Tensor.fromGpuBuffer(buffer, { dataType: 'float32', dims: shape });
    const made = names.map(() => device.createBuffer({ size: bytes, usage: buffer.usage }));
    const outputs = Object.fromEntries(names.map((name, i) => [name, ort.Tensor.fromGpuBuffer(made[i], { dataType: 'float32', dims: to })]));
    const mine = await ours(framework, buffer, task);
    const theirs = { work: () => run.run({ x: input }, outputs) };
    const best = await compare(framework, mine, theirs, task, rounds);
    await same(device, mine.output, made[count - 1], bytes);
    mine.release();
    await run.release();
    for (const each of [buffer, ...made]) each.destroy();
    return { ...best, explanation: mine.explanation };
  };
}

/** The table's rows: for each case and each framework, the median ratio of several tries, and that try's times. */
export async function run(query) {
  const [tries, rounds] = [Number(query.get('tries') ?? 3), Number(query.get('rounds') ?? 6)];
  const peers = { 'TensorFlow.js': await againstTensorFlow(rounds), 'ONNX Runtime Web': await againstOnnxRuntime(rounds) };
  const adapter = await navigator.gpu.requestAdapter();
  const { vendor, architecture, device, description } = adapter.info;
  const rows = [];
  for (const task of CASES) {
    for (const [peer, against] of Object.entries(peers)) {
      const found = [];
      for (let round = 0; round < tries; round += 1) {
        const each = await against(task);
        found.push({ ...each, ratio: each.theirs / each.ours });
      }
      const ratio = median(found.map((each) => each.ratio));
      const { ours, theirs, explanation } = found.find((each) => each.ratio === ratio);
      const row = { shape: task.shape, axes: task.axes, count: task.count, peer, ours, theirs, ratio, ratios: found.map((each) => each.ratio), explanation };
      rows.push(row);
      await globalThis.say(`[${row.shape}] by (${row.axes}), ${peer}: ${theirs.toFixed(2)} ms, ours ${ours.toFixed(2)} ms, ratios ${row.ratios.map((each) => each.toFixed(2))}`);
    }
  }
  return { adapter: [vendor, architecture, device, description].filter(Boolean).join(' '), rows };
}
