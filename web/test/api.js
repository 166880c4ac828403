// What callers see: views, moves, copies into encoders and passes, prepared copies, materialised views, plans as bytes, errors.
import { equal } from './report.js';

const USAGE = 0x80 | 0x8 | 0x4; // STORAGE | COPY_DST | COPY_SRC

/** Runs every test of the interface. `lost` gives a device of its own, to be destroyed. */
export async function runApi({ api, device, lost, report, wasm }) {
  const { Restride, RestrideError, View, PLAN_VERSION } = api;
  const restride = await Restride.create(device, { wasm });
  const test = (name, body) => report.test(name, body);

  const bufferOf = (bytes, usage = USAGE) => device.createBuffer({ size: bytes, usage });
  const words = (...values) => {
    const buffer = bufferOf(values.length * 4);
    device.queue.writeBuffer(buffer, 0, new Uint32Array(values));
    return buffer;
  };
  const counted = (n) => words(...Array.from({ length: n }, (_, i) => i));
  /** The words of a buffer, after `record` into an encoder of its own. */
  const after = async (buffer, record) => {
    const encoder = device.createCommandEncoder();
    record(encoder);
    const staging = device.createBuffer({ size: buffer.size, usage: 0x1 | 0x8 });
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(1);
    return Array.from(new Uint32Array(staging.getMappedRange().slice(0)));
  };
  const refused = async (code, argument, body, { value, bound } = {}) => {
    let error;
    try {
      await body();
    } catch (thrown) {
      error = thrown;
    }
    if (!error) throw new Error(`nothing was refused where ${code} was expected`);
    if (!(error instanceof RestrideError)) throw error;
    equal([error.name, error.code, error.argument], ['RestrideError', code, argument], error.message);
    if (value !== undefined) equal(error.value, value, 'the value');
    if (bound !== undefined) equal(error.bound, bound, 'the bound');
    if (!(error.message.length > 5)) throw new Error('the message says nothing');
  };

  const dtype = 'uint32';
  const source = counted(12);
  const matrix = restride.view({ buffer: source, dtype, shape: [3, 4] });

  await test('a description becomes a view', () => {
    equal([matrix.shape, matrix.strides, matrix.offset], [[3, 4], [4, 1], 0]);
    equal([matrix.dtype, matrix.bits, matrix.size, matrix.byteLength], [dtype, 32, 12, 48]);
    equal(restride.view(matrix) === matrix, true);
    const other = restride.view({ buffer: source, dtype: 'bits(12)', shape: new Uint32Array([2, 3]), strides: [3n, 1n], offset: 1n });
    equal([other.shape, other.strides, other.offset, other.bits, other.byteLength], [[2, 3], [3, 1], 1, 12, 9]);
    equal(restride.view({ buffer: source, dtype, shape: [3, 4], view: '[:, ::-1].T' }).strides, [-1, 4]);
    equal(restride.view({ dtype, shape: [2 ** 40] }).size, 2 ** 40);
  });

  await test('moves are those of the crate', () => {
    const seen = (view) => [view.shape, view.strides, view.offset];
    equal(seen(matrix.transpose()), [[4, 3], [1, 4], 0]);
    equal(seen(matrix.permute(1, 0)), [[4, 3], [1, 4], 0]);
    equal(seen(matrix.permute([-1, 0])), [[4, 3], [1, 4], 0]);
    equal(seen(matrix.swap(0, -1)), [[4, 3], [1, 4], 0]);
    equal(seen(matrix.reshape(2, -1)), [[2, 6], [6, 1], 0]);
    equal(seen(matrix.broadcast([2, 3, 4])), [[2, 3, 4], [0, 4, 1], 0]);
    equal(seen(matrix.flip(-1)), [[3, 4], [4, -1], 3]);
    equal(seen(matrix.slice(1, 1, null, 2)), [[3, 2], [4, 2], 1]);
    equal(seen(matrix.slice(0, -1)), [[1, 4], [0, 1], 8]);
    equal(seen(matrix.slice(-1, undefined, undefined, -1)), [[3, 4], [4, -1], 3]);
    equal(seen(matrix.narrow(0, 1, 2)), [[2, 4], [4, 1], 4]);
    equal(seen(matrix.narrow(1, 4, 0)).slice(0, 1), [[3, 0]]);
    equal(seen(matrix.select(1, -1)), [[3], [4], 3]);
    equal(seen(matrix.unsqueeze(0)), [[1, 3, 4], [0, 4, 1], 0]);
    equal(seen(matrix.unsqueeze(0).squeeze()), [[3, 4], [4, 1], 0]);
    equal(seen(matrix.unsqueeze(-1).squeeze(2)), [[3, 4], [4, 1], 0]);
    equal(seen(matrix.window(1, 2)), [[3, 3, 2], [4, 1, 1], 0]);
    equal(seen(matrix.window(1, 2n, 2, 1)), [[3, 2, 2], [4, 2, 1], 0]);
    const bytes = matrix.bitcast('uint8');
    equal([bytes.shape, bytes.dtype, bytes.bits], [[3, 4, 4], 'uint8', 8]);
    equal(seen(matrix.apply('[1:, ::2].T')), [[2, 2], [2, 4], 4]);
  });

  await test('a copy is recorded into an encoder', async () => {
    const dst = bufferOf(48);
    const got = await after(dst, (encoder) => restride.copy(encoder, matrix.transpose(), { buffer: dst, dtype, shape: [4, 3] }));
    equal(got, [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
  });

  await test('a copy is recorded into an open pass, between other copies', async () => {
    const dst = bufferOf(48);
    const back = bufferOf(48);
    const got = await after(back, (encoder) => {
      const pass = encoder.beginComputePass();
      restride.copyInPass(pass, matrix, { buffer: dst, dtype, shape: [3, 4] });
      restride.copyInPass(pass, restride.view({ buffer: dst, dtype, shape: [3, 4] }).flip(0), { buffer: back, dtype, shape: [3, 4] });
      pass.end();
    });
    equal(got, [8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3]);
  });

  await test('disjoint views of one buffer', async () => {
    const both = counted(12);
    const view = restride.view({ buffer: both, dtype, shape: [2, 6] });
    const got = await after(both, (encoder) => restride.copy(encoder, view.select(0, 0).flip(0), view.select(0, 1)));
    equal(got, [0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0]);
  });

  await test('overlapping views of one buffer, through scratch of either kind', async () => {
    const shift = (buffer) => {
      const view = restride.view({ buffer, dtype, shape: [6] });
      return [view.narrow(0, 0, 5), view.narrow(0, 1, 5)];
    };
    for (const scratch of [undefined, bufferOf(32)]) {
      const both = counted(6);
      const got = await after(both, (encoder) => restride.copy(encoder, ...shift(both), { scratch }));
      equal(got, [0, 0, 1, 2, 3, 4]);
    }
    const both = counted(6);
    const copy = (options) => () => restride.copy(device.createCommandEncoder(), ...shift(both), options);
    await refused('ScratchLimit', 'maxScratchBytes', copy({ maxScratchBytes: 16 }), { value: 32, bound: 16 });
    await refused('OtherBuffer', 'scratch', copy({ scratch: bufferOf(16) }), { value: 16, bound: 32 });
    await refused('MissingUsage', 'scratch', copy({ scratch: bufferOf(32, 0x1 | 0x8) }));
    await refused('ScratchIsOperand', 'scratch', copy({ scratch: both }));
    await refused('Type', 'scratch', copy({ scratch: 3 }));
  });

  await test('a view is materialised', async () => {
    let made;
    const encoder = device.createCommandEncoder();
    made = restride.materialize(encoder, matrix.apply('[::-1, 1:3]'), { label: 'part' });
    device.queue.submit([encoder.finish()]);
    equal([made.shape, made.strides, made.buffer.label], [[3, 2], [2, 1], 'part']);
    equal((await after(made.buffer, () => {})).slice(0, 6), [9, 10, 5, 6, 1, 2]);
  });

  await test('a prepared copy is recorded again and again', async () => {
    const [from, to] = [counted(4), bufferOf(16)];
    const before = restride.pipelineCount;
    const turn = await restride.prepare({ buffer: from, dtype, shape: [4], view: '[::-1]' }, { buffer: to, dtype, shape: [4] }, { inPass: true });
    equal(turn.length, 1);
    if (!(restride.pipelineCount > 0 && restride.pipelineCount >= before)) throw new Error('no pipeline was made');
    for (const add of [0, 100]) {
      device.queue.writeBuffer(from, 0, new Uint32Array([add, add + 1, add + 2, add + 3]));
      equal(await after(to, (encoder) => turn.record(encoder)), [add + 3, add + 2, add + 1, add]);
    }
    turn.destroy();
    await refused('Disposed', 'prepared', () => turn.record(device.createCommandEncoder()));
  });

  await test('a warm copy makes no pipeline', async () => {
    const pair = [matrix.flip(1), { buffer: bufferOf(48), dtype, shape: [3, 4] }];
    await Promise.all([restride.warm(...pair), restride.warm(...pair)]);
    const before = restride.pipelineCount;
    restride.copy(device.createCommandEncoder(), ...pair);
    equal(restride.pipelineCount, before);
  });

  await test('a plan is bytes, of this version alone', async () => {
    const dst = bufferOf(48);
    const bytes = restride.plan(matrix.transpose(), { buffer: dst, dtype, shape: [4, 3] });
    equal(new DataView(bytes.buffer).getUint32(4, true), PLAN_VERSION);
    const prepared = await restride.prepareEncoded(bytes, source, dst);
    equal((await after(dst, (encoder) => prepared.record(encoder))).slice(0, 3), [0, 4, 8]);
    const changed = (at, by) => bytes.map((byte, i) => (i === at ? byte + by : byte));
    await refused('PlanVersion', 'plan', () => restride.prepareEncoded(changed(4, 1), source, dst), { value: PLAN_VERSION + 1, bound: PLAN_VERSION });
    await refused('PlanFormat', 'plan', () => restride.prepareEncoded(changed(0, 1), source, dst));
    await refused('PlanFormat', 'plan', () => restride.prepareEncoded(bytes.slice(0, -4), source, dst));
    await refused('PlanFormat', 'plan', () => restride.prepareEncoded(new Uint8Array([...bytes, 0, 0, 0, 0]), source, dst));
    await refused('PlanFormat', 'plan', () => restride.prepareEncoded([1, 2], source, dst));
    await refused('OtherBuffer', 'dst.buffer', () => restride.prepareEncoded(bytes, source, bufferOf(44)), { value: 44, bound: 48 });
    await refused('BufferCount', 'plan', () => restride.prepareEncoded(bytes, source, source), { value: 1, bound: 2 });
    await refused('MissingUsage', 'dst.buffer', () => restride.prepareEncoded(bytes, source, bufferOf(48, 0x8)), { value: 'STORAGE' });
    for (let end = 0; end < bytes.length; end += 4) await refused('PlanFormat', 'plan', () => restride.prepareEncoded(bytes.slice(0, end), source, dst));
  });

  await test('a plan is explained', () => {
    const dst = { buffer: bufferOf(48), dtype, shape: [4, 3] };
    const text = restride.explain(matrix.transpose(), dst);
    if (!/^gather: 1 step over 32-bit units/.test(text) || !/\n {2}native: /.test(text)) throw new Error(text);
    if (!/^scatter: /.test(restride.explain(matrix.transpose(), dst, { force: 'scatter' }))) throw new Error('not forced');
    if (!/\n {2}gather: switched off/.test(restride.explain(matrix.transpose(), dst, { without: ['gather'] }))) throw new Error('not left out');
  });

  await test('numbers are safe integers', async () => {
    const view = (fields) => () => restride.view({ buffer: source, dtype, shape: [3], ...fields });
    await refused('NotAnInteger', 'view.shape[0]', view({ shape: [1.5] }), { value: 1.5 });
    for (const bad of [NaN, Infinity, 2 ** 53, 2n ** 53n, '3', null, undefined, {}, true]) {
      await refused('NotAnInteger', 'view.shape[1]', view({ shape: [1, bad] }));
      await refused('NotAnInteger', 'view.strides[0]', view({ strides: [bad] }));
    }
    await refused('NotAnInteger', 'view.offset', view({ offset: 0.1 }));
    await refused('Negative', 'view.offset', view({ offset: -1 }), { value: -1, bound: 0 });
    await refused('Negative', 'view.shape[0]', view({ shape: [-3n] }), { value: -3 });
    await refused('Type', 'view.shape', view({ shape: 3 }));
    await refused('Type', 'view.shape', view({ shape: '34' }));
    await refused('Type', 'view.dtype', view({ dtype: 32 }));
    await refused('Type', 'view.buffer', view({ buffer: {} }));
    await refused('Type', 'view.view', view({ view: 3 }));
    await refused('Type', 'view', () => restride.view(undefined));
    await refused('NotAnInteger', 'axes[0]', () => matrix.permute('0', 1));
    await refused('NotAnInteger', 'stop', () => matrix.slice(0, 0, 1.5));
  });

  await test('views are refused with their argument, value and bound', async () => {
    const view = (fields) => () => restride.view({ buffer: source, dtype, shape: [3], ...fields });
    await refused('DTypeName', 'view.dtype', view({ dtype: 'float' }), { value: 'float' });
    await refused('Width', 'view.dtype', view({ dtype: 'bits(129)' }), { value: 129, bound: 128 });
    await refused('StrideCount', 'view.strides', view({ strides: [1, 2] }), { value: 2, bound: 1 });
    await refused('Rank', 'view.shape', view({ shape: Array(33).fill(1) }), { value: 33, bound: 32 });
    await refused('Numel', 'view.shape', view({ shape: [2 ** 30, 2 ** 30] }));
    await refused('NegativePosition', 'view.strides', view({ strides: [-1] }), { value: -2, bound: 0 });
    await refused('ViewText', 'view.view', view({ view: '[0:2' }), { value: 4 });
    await refused('ViewText', 'view', () => matrix.apply('.turn()'));
    await refused('IndexOutside', 'index', () => matrix.apply('[7]'), { value: 7, bound: 3 });
    await refused('ViewReshape', 'view', () => matrix.apply('.T.reshape(-1)'));
    await refused('ViewReshape', 'shape', () => matrix.transpose().reshape(-1));
    await refused('ReshapeNumel', 'shape', () => matrix.reshape(5), { value: 5, bound: 12 });
    await refused('RepeatedAxis', 'axes', () => matrix.permute(0, 0), { value: 0 });
    await refused('PermuteLength', 'axes', () => matrix.permute(0), { value: 1, bound: 2 });
    await refused('Axis', 'axis', () => matrix.flip(2), { value: 2, bound: 2 });
    await refused('Axis', 'axis', () => matrix.select(-3, 0), { value: -3, bound: 2 });
    await refused('RangeOutside', 'start', () => matrix.narrow(0, 2, 2), { value: 2, bound: 3 });
    await refused('BroadcastExtent', 'shape', () => matrix.broadcast(3, 5), { value: 5, bound: 4 });
    await refused('WindowFit', 'size', () => matrix.window(0, 4), { value: 4, bound: 3 });
    await refused('SqueezeExtent', 'axis', () => matrix.squeeze(0), { value: 3, bound: 1 });
    await refused('ZeroStep', 'step', () => matrix.slice(0, 0, 3, 0));
    await refused('Type', 'dtype', () => matrix.bitcast('uint8).flip(0'));
  });

  await test('copies are refused before anything is recorded', async () => {
    const dst = restride.view({ buffer: bufferOf(48), dtype, shape: [3, 4] });
    const copy = (from, to, options) => () => {
      // The encoder must stay usable, and empty.
      const encoder = device.createCommandEncoder();
      restride.copy(encoder, from, to, options);
    };
    const gpuOnly = { without: ['native'] };
    await refused('BufferTooSmall', 'src.buffer', copy({ buffer: source, dtype, shape: [13] }, { buffer: bufferOf(52), dtype, shape: [13] }), { value: 52, bound: 48 });
    await refused('BufferTooSmall', 'dst.buffer', copy(matrix, { buffer: bufferOf(44), dtype, shape: [3, 4] }), { value: 48, bound: 44 });
    await refused('UnlikeWidths', 'dst.dtype', copy(matrix, { buffer: bufferOf(48), dtype: 'uint8', shape: [3, 4] }), { value: 8, bound: 32 });
    await refused('UnlikeExtents', 'dst.shape', copy(matrix.transpose(), dst), { value: 3, bound: 4 });
    await refused('UnlikeRanks', 'dst.shape', copy(matrix.reshape(-1), dst), { value: 2, bound: 1 });
    await refused('NotDistinct', 'dst.strides', copy(matrix, { buffer: bufferOf(48), dtype, shape: [3, 4], strides: [0, 1] }));
    await refused('MissingUsage', 'dst.buffer', copy(matrix.flip(0), { buffer: bufferOf(48, 0x8), dtype, shape: [3, 4] }, gpuOnly), { value: 'STORAGE' });
    await refused('MissingUsage', 'src.buffer', copy({ buffer: bufferOf(48, 0x4), dtype, shape: [3, 4] }, dst, gpuOnly), { value: 'STORAGE' });
    await refused('Type', 'src.buffer', copy({ dtype, shape: [3, 4] }, dst));
    await refused('Type', 'encoder', () => restride.copy({}, matrix, dst));
    await refused('Type', 'pass', () => restride.copyInPass(device.createCommandEncoder(), matrix, dst));
    await refused('RungName', 'rung', copy(matrix, dst, { force: 'fast' }), { value: 'fast' });
    await refused('Rung', 'rung', copy(matrix.transpose(), { ...dst, shape: [4, 3], strides: undefined }, { force: 'rows' }), { value: 'rows' });
    await refused('BeyondDevice', 'limits.maxBufferSize', copy(matrix, dst, { limits: { maxBufferSize: device.limits.maxBufferSize + 1 } }));
    await refused('Limit', 'limits', copy(matrix, dst, { limits: { maxStorageBufferBindingSize: 0 } }));
    await refused('Type', 'limits.maxSteps', copy(matrix, dst, { limits: { maxSteps: 4 } }));
    const [large, room] = [bufferOf(40000), bufferOf(40000)];
    const square = restride.view({ buffer: large, dtype, shape: [100, 100] });
    const limits = { maxStorageBufferBindingSize: 1024 };
    await refused('TooManySteps', 'maxSteps', copy(square.transpose(), { buffer: room, dtype, shape: [100, 100] }, { limits, maxSteps: 3 }), { bound: 3 });
    const native = await restride.prepare(matrix, dst);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    await refused('NativeInPass', 'pass', () => native.recordInPass(pass));
    pass.end();
    device.queue.submit([encoder.finish()]);
  });

  await test('create refuses what is no device or no module', async () => {
    await refused('Type', 'device', () => Restride.create({}));
    await refused('Type', 'wasm', () => Restride.create(device, { wasm: 3 }));
    await refused('Wasm', 'wasm', () => Restride.create(device, { wasm: new Uint8Array([1, 2, 3]) }));
    await refused('Wasm', 'wasm', () => Restride.create(device, { wasm: new URL('./none.wasm', import.meta.url) }));
    await refused('Type', 'planner', () => new Restride(device));
  });

  await test('a disposed one and a lost device refuse', async () => {
    const other = await Restride.create(device, { wasm });
    const dst = { buffer: bufferOf(48), dtype, shape: [3, 4] };
    const prepared = await other.prepare(matrix.flip(0), dst);
    other.dispose();
    await refused('Disposed', 'device', () => other.copy(device.createCommandEncoder(), matrix, dst));
    await refused('Disposed', 'device', () => prepared.record(device.createCommandEncoder()));
    equal(other.view(matrix).shape, [3, 4]);

    const doomed = await lost();
    const last = await Restride.create(doomed, { wasm });
    const [from, to] = [0, 1].map(() => doomed.createBuffer({ size: 48, usage: USAGE }));
    const turn = await last.prepare({ buffer: from, dtype, shape: [3, 4], view: '[::-1]' }, { buffer: to, dtype, shape: [3, 4] });
    doomed.destroy();
    await doomed.lost;
    await Promise.resolve();
    const encoder = doomed.createCommandEncoder();
    await refused('DeviceLost', 'device', () => turn.record(encoder));
    await refused('DeviceLost', 'device', () => last.copy(encoder, { buffer: from, dtype, shape: [12] }, { buffer: to, dtype, shape: [12] }));
    await refused('DeviceLost', 'device', () => last.prepare({ buffer: from, dtype, shape: [12] }, { buffer: to, dtype, shape: [12] }));
    await refused('DeviceLost', 'device', () => last.warm({ buffer: from, dtype, shape: [12] }, { buffer: to, dtype, shape: [12] }));
  });

  await test('the names are those of the types', () => {
    equal(matrix instanceof View, true);
    equal(Object.keys(api).sort(), ['PLAN_VERSION', 'Prepared', 'Restride', 'RestrideError', 'View']);
  });
  restride.dispose();
}
