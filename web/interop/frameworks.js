// The two frameworks, as their documentation sets them up. Each makes its own device.

import * as ort from './node_modules/onnxruntime-web/dist/ort.webgpu.bundle.min.mjs';
import { Restride } from '../dist/index.js';
import { model, node } from './onnx.js';

/** A framework's invalid command would pass unseen, and leave an output as it was: here it ends the page. */
function strict(device) {
  device.addEventListener('uncapturederror', ({ error }) => {
    setTimeout(() => {
      throw new Error(`the device says: ${error.message}`);
    });
  });
  return device;
}

/** TensorFlow.js on WebGPU, its device, and restride on that. */
export async function tensorFlow() {
  const { tf } = globalThis;
  if (!(await tf.setBackend('webgpu'))) throw new Error('TensorFlow.js has no WebGPU backend here');
  await tf.ready();
  const device = strict(tf.backend().device);
  return { tf, device, restride: await Restride.create(device) };
}

/** ONNX Runtime on WebGPU with outputs that stay in GPU buffers, its device, and restride on that. */
export async function onnxRuntime() {
  ort.env.wasm.wasmPaths = new URL('./node_modules/onnxruntime-web/dist/', import.meta.url).href;
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
  const session = (model, options) =>
    ort.InferenceSession.create(model, { executionProviders: ['webgpu'], preferredOutputLocation: 'gpu-buffer', ...options });
  // The first session makes the device, and the last one to go takes it along: this one stays.
  await session(model([node('Neg', ['x'], ['y'])], { x: [1] }, { y: [1] }));
  const device = strict(await ort.env.webgpu.device);
  return { ort, session, device, restride: await Restride.create(device) };
}

/** A buffer's first `count` words. */
export async function read(device, buffer, count) {
  const staging = device.createBuffer({ size: 4 * count, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, 4 * count);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(staging.getMappedRange().slice(0));
  staging.destroy();
  return words;
}
