// Tensors that a framework computed are rearranged by restride on the framework's own device, and given back to it: what is read
// at the end must equal what the framework makes of them by itself, and what a loop in JavaScript does.

import { onnxRuntime, read, tensorFlow } from './frameworks.js';
import { model, node } from './onnx.js';

const SHAPES = [
  { shape: [96, 70], axes: [1, 0] },
  { shape: [8, 17, 12, 16], axes: [0, 2, 1, 3] },
  { shape: [7, 9, 11, 13], axes: [3, 2, 1, 0] },
  { shape: [5, 31, 29, 3], axes: [0, 3, 1, 2] },
  { shape: [3, 2, 5, 4, 33], axes: [4, 0, 3, 1, 2] },
];

const product = (numbers) => numbers.reduce((a, b) => a * b, 1);

/** Numbers that a float holds exactly, after a multiplication by 2 and an addition of 1 as well. */
const numbers = (count) => Float32Array.from({ length: count }, (_, i) => ((i * 2654435761) % 65536) - 32768);

/** Axis `i` of the result is axis `axes[i]` of `words`. */
function permuted(words, shape, axes) {
  const strides = shape.map((_, i) => product(shape.slice(i + 1)));
  const out = new words.constructor(words.length);
  const index = axes.map(() => 0);
  for (let at = 0; at < out.length; at += 1) {
    out[at] = words[index.reduce((sum, k, i) => sum + k * strides[axes[i]], 0)];
    for (let i = axes.length - 1; i >= 0; i -= 1) {
      index[i] += 1;
      if (index[i] < shape[axes[i]]) break;
      index[i] = 0;
    }
  }
  return out;
}

const bits = (array) => new Uint32Array(array.buffer, array.byteOffset, array.length);

function same(found, expected, what) {
  const [a, b] = [bits(found), bits(expected)];
  if (a.length !== b.length) throw new Error(`${what}: ${a.length} words, where ${b.length} are expected`);
  const at = a.findIndex((word, i) => word !== b[i]);
  if (at >= 0) throw new Error(`${what}: word ${at} is ${a[at]}, where ${b[at]} is expected`);
}

/** Nothing comes back from a GPU but through a mapped buffer: how many were mapped so far. */
let mapped = 0;
const { mapAsync } = GPUBuffer.prototype;
GPUBuffer.prototype.mapAsync = function counted(...args) {
  mapped += 1;
  return mapAsync.apply(this, args);
};

/** What `work` gives; it must not have read anything back. */
async function onTheGpu(work) {
  const before = mapped;
  const result = await work();
  if (mapped !== before) throw new Error(`${mapped - before} buffers were mapped, where all should stay on the GPU`);
  return result;
}

/** `view` in a buffer of its own, on the queue that its producer used. */
function materialize({ restride, device }, view) {
  const encoder = device.createCommandEncoder();
  const made = restride.materialize(encoder, view);
  device.queue.submit([encoder.finish()]);
  return made;
}

async function tensorFlowChecks(check) {
  const framework = await tensorFlow();
  const { tf, device, restride } = framework;
  for (const dtype of ['float32', 'int32']) {
    for (const { shape, axes } of SHAPES) {
      await check(`TensorFlow.js ${dtype} [${shape}] by (${axes})`, async (plant) => {
        const values = numbers(product(shape));
        const input = dtype === 'int32' ? Int32Array.from(values) : values;
        const ours = await onTheGpu(() => {
          const tensor = tf.add(tf.mul(tf.tensor(input, shape, dtype), tf.scalar(2, dtype)), tf.scalar(1, dtype));
          const { buffer, tensorRef } = tensor.dataToGPU();
          const made = materialize(framework, restride.view({ buffer, dtype, shape }).permute(axes));
          return { tensor, tensorRef, made };
        });
        const expected = permuted(input.map((value) => 2 * value + 1), shape, axes);
        if (plant) bits(expected)[0] ^= 1;
        const { tensor, tensorRef, made } = ours;
        same(await read(device, made.buffer, made.size), expected, 'read by us');
        // The framework takes our buffer as a tensor of its own, without a copy, and computes with it.
        const back = await onTheGpu(() => tf.neg(tf.tensor({ buffer: made.buffer, zeroCopy: true }, made.shape, dtype)));
        same(await back.data(), expected.map((value) => -value), 'read by the framework');
        // Its own transposes of int32 of more than two axes are no valid WGSL: https://github.com/tensorflow/tfjs/issues/8638.
        if (dtype === 'float32' || shape.length === 2) {
          same(await tf.transpose(tensor, axes).data(), expected, "the framework's own transpose");
        }
        tensorRef.dispose();
      });
    }
  }
  await check('TensorFlow.js: a slice, backwards, with steps', async () => {
    const shape = [24, 31, 18];
    const { tensor, made } = await onTheGpu(() => {
      const tensor = tf.mul(tf.tensor(numbers(product(shape)), shape), 3);
      const { buffer } = tensor.dataToGPU();
      return { tensor, made: materialize(framework, { buffer, dtype: 'float32', shape, view: '[::-1, 4:, 1:17:3].T' }) };
    });
    const own = tf.transpose(tf.reverse(tf.stridedSlice(tensor, [0, 4, 1], [24, 31, 17], [1, 1, 3]), 0));
    if (`${own.shape}` !== `${made.shape}`) throw new Error(`the shapes are ${made.shape} and ${own.shape}`);
    same(await read(device, made.buffer, made.size), await own.data(), 'read by us');
  });
}

async function onnxRuntimeChecks(check) {
  const framework = await onnxRuntime();
  const { ort, session, device, restride } = framework;
  const dtype = 'float32';
  for (const { shape, axes } of SHAPES) {
    await check(`ONNX Runtime ${dtype} [${shape}] by (${axes})`, async () => {
      const to = axes.map((axis) => shape[axis]);
      const sums = model(
        [node('Add', ['x', 'x'], ['sum']), node('Transpose', ['sum'], ['own'], { perm: axes })],
        { x: shape },
        { sum: shape, own: to },
      );
      const negative = await session(model([node('Neg', ['y'], ['z'])], { y: to }, { z: to }));
      const run = await session(sums);
      const values = numbers(product(shape));
      const { own, made } = await onTheGpu(async () => {
        const { sum, own } = await run.run({ x: new ort.Tensor(dtype, values, shape) });
        if (sum.location !== 'gpu-buffer') throw new Error(`the output is in ${sum.location}`);
        return { own, made: materialize(framework, restride.view({ buffer: sum.gpuBuffer, dtype, shape }).permute(axes)) };
      });
      const expected = permuted(values.map((value) => 2 * value), shape, axes);
      same(await read(device, made.buffer, made.size), expected, 'read by us');
      same(await own.getData(), expected, "the framework's own transpose");
      const back = await onTheGpu(() => negative.run({ y: ort.Tensor.fromGpuBuffer(made.buffer, { dataType: dtype, dims: [...made.shape] }) }));
      // Zeros turn into negative zeros, here as there.
      same(await back.z.getData(), expected.map((value) => -value), 'read by the framework');
      await run.release();
      await negative.release();
    });
  }
}

/** Runs every check, says how each went, and gives the counts. */
export async function run(query) {
  let [passed, failed, plant] = [0, 0, query.has('plant')];
  const check = async (name, body) => {
    const planted = plant;
    plant = false;
    try {
      await body(planted);
      passed += 1;
      await globalThis.say(`ok ${name}`);
    } catch (error) {
      failed += 1;
      await globalThis.say(`FAILED ${name}${planted ? ' (planted)' : ''}: ${error.message}`);
    }
  };
  await tensorFlowChecks(check);
  await onnxRuntimeChecks(check);
  return { passed, failed };
}
