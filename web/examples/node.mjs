// A matrix is transposed on the GPU from Node: npm install restride webgpu, then node node.mjs
import { Restride } from 'restride';
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
const gpu = create([]);
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice();

const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
const buffer = device.createBuffer({ size: 24, usage });
device.queue.writeBuffer(buffer, 0, new Float32Array([1, 2, 3, 4, 5, 6]));

const restride = await Restride.create(device);
const matrix = restride.view({ buffer, dtype: 'float32', shape: [2, 3] });
const encoder = device.createCommandEncoder();
const turned = restride.materialize(encoder, matrix.transpose());
const staging = device.createBuffer({ size: 24, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
encoder.copyBufferToBuffer(turned.buffer, 0, staging, 0, 24);
device.queue.submit([encoder.finish()]);
await staging.mapAsync(GPUMapMode.READ);
console.log(turned.shape, new Float32Array(staging.getMappedRange().slice(0))); // [3, 2], 1 4 2 5 3 6

device.destroy();
globalThis.keptAlive = [gpu, adapter]; // Dawn's objects must outlive the device
process.exit(0);
