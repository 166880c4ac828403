import { RestrideError, integer, wrongType } from './error.js';
import { PLAN_VERSION, decodePlan } from './plan.js';
import { Pipelines } from './pipelines.js';
import { Planner } from './planner.js';
import { Prepared } from './prepared.js';
import { View, isBuffer, layoutNumbers } from './view.js';

export { PLAN_VERSION, Prepared, RestrideError, View };

const [COPY_SRC, COPY_DST, STORAGE] = [0x4, 0x8, 0x80];

/** The limits that plans respect, in the planner's order; alignments may only grow, the others only shrink. */
const LIMITS = [
  'maxStorageBufferBindingSize',
  'minStorageBufferOffsetAlignment',
  'minUniformBufferOffsetAlignment',
  'maxUniformBufferBindingSize',
  'maxBufferSize',
  'maxComputeWorkgroupsPerDimension',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
];

const MAX_STEPS = 65536;

/** Strided copies on one device: the planner, and the pipelines made so far. */
export class Restride {
  #device;
  #planner;
  #pipelines;
  #fault;

  /** Strided copies on `device`, which stays the caller's. `wasm` is the planner's module, its bytes, or its URL. */
  static async create(device, { wasm } = {}) {
    if (typeof device?.createComputePipelineAsync !== 'function') throw wrongType('device', device, 'a GPUDevice');
    return new Restride(device, await Planner.load(wasm));
  }

  /** For `create` alone. */
  constructor(device, planner) {
    if (!(planner instanceof Planner)) throw new RestrideError('Type', 'use Restride.create(device)', { argument: 'planner' });
    this.#device = device;
    this.#planner = planner;
    this.#pipelines = new Pipelines(device, planner);
    device.lost.then((info) => {
      this.#fault ??= ['DeviceLost', `the device was lost: ${info.message || info.reason}`];
    });
  }

  /** The device that copies are recorded for. */
  get device() {
    return this.#device;
  }

  /** The number of pipelines made so far. */
  get pipelineCount() {
    return this.#pipelines.count;
  }

  /** A view of a buffer, checked, with the moves as methods. */
  view(description) {
    return View.of(this.#planner, description, 'view');
  }

  /** Records the copy of `src` to `dst` into a command encoder that has no open pass. Pipelines that are not there are made now. */
  copy(encoder, src, dst, options) {
    if (typeof encoder?.beginComputePass !== 'function') throw wrongType('encoder', encoder, 'a GPUCommandEncoder');
    this.#prepare(src, dst, options, false).record(encoder);
  }

  /** Records the copy of `src` to `dst` into an open compute pass, whose pipeline and bind groups 0 and 1 it changes. */
  copyInPass(pass, src, dst, options) {
    if (typeof pass?.dispatchWorkgroups !== 'function') throw wrongType('pass', pass, 'a GPUComputePassEncoder');
    this.#prepare(src, dst, options, true).recordInPass(pass);
  }

  /** Records the copy of `view` into a buffer of its own, in C order, and gives the view of that. */
  materialize(encoder, view, { label, usage = STORAGE | COPY_SRC | COPY_DST, ...options } = {}) {
    const { device } = this.use();
    const src = View.of(this.#planner, view, 'src');
    const size = Math.max(Math.ceil(src.byteLength / 16) * 16, 16);
    const bound = device.limits.maxBufferSize;
    if (size > bound) {
      throw new RestrideError('BufferLimit', `a buffer of ${size} bytes is beyond the device's limit of ${bound}`, { argument: 'view', value: size, bound });
    }
    const buffer = device.createBuffer({ label, size, usage: integer(usage, 'usage', 0) });
    try {
      const dst = View.of(this.#planner, { buffer, dtype: src.dtype, shape: src.shape }, 'dst');
      this.copy(encoder, src, dst, options);
      return dst;
    } catch (error) {
      buffer.destroy();
      throw error;
    }
  }

  /** Makes the pipelines of a copy ahead, without holding up the caller. */
  async warm(src, dst, options) {
    await this.#warm(decodePlan(this.plan(src, dst, options)));
  }

  /** The copy of `src` to `dst`, ready to be recorded any number of times; its pipelines are made without holding up the caller. */
  async prepare(src, dst, options) {
    const [from, to] = [View.of(this.#planner, src, 'src'), View.of(this.#planner, dst, 'dst')];
    return this.prepareEncoded(this.plan(from, to, options), from.buffer, to.buffer, options?.scratch);
  }

  /** An encoded plan on its two buffers, ready to be recorded any number of times. */
  async prepareEncoded(bytes, src, dst, scratch) {
    this.use();
    const plan = decodePlan(bytes);
    for (const [name, buffer] of [['src', src], ['dst', dst]]) {
      if (!isBuffer(buffer)) throw wrongType(name, buffer, 'a GPUBuffer');
    }
    await this.#warm(plan);
    return new Prepared(this, plan, src, dst, scratch);
  }

  /** The plan of a copy as bytes. */
  plan(src, dst, options) {
    return this.#ask('plan', src, dst, options).bytes;
  }

  /** The plan of a copy in words: what was chosen, and what the others would cost or lack. */
  explain(src, dst, options) {
    return new TextDecoder().decode(this.#ask('explain', src, dst, options).bytes);
  }

  /** Forgets the pipelines. The device and every buffer are the caller's; what was recorded stays good. */
  dispose() {
    this.#fault = ['Disposed', 'this Restride was disposed of'];
    this.#pipelines = undefined;
  }

  /** The device and the pipelines, unless the device is lost or this was disposed of. */
  use() {
    if (!this.#fault) return { device: this.#device, pipelines: this.#pipelines };
    const [code, message] = this.#fault;
    throw new RestrideError(code, message, { argument: 'device' });
  }

  async #warm(plan) {
    await this.use().pipelines.warm(plan.programs);
    // A device that is lost meanwhile gives pipelines that are none.
    this.use();
  }

  #prepare(src, dst, options, inPass) {
    const [from, to] = [View.of(this.#planner, src, 'src'), View.of(this.#planner, dst, 'dst')];
    return new Prepared(this, decodePlan(this.plan(from, to, { ...options, inPass })), from.buffer, to.buffer, options?.scratch);
  }

  #ask(name, src, dst, { limits = {}, force = '', without = [], maxSteps = MAX_STEPS, maxScratchBytes = Number.MAX_SAFE_INTEGER, scratch, inPass = false } = {}) {
    this.use();
    if (scratch !== undefined && !isBuffer(scratch)) throw wrongType('scratch', scratch, 'a GPUBuffer');
    const [from, to] = [View.of(this.#planner, src, 'src'), View.of(this.#planner, dst, 'dst')];
    const operand = (view, side, copy) => {
      const { buffer } = view;
      if (!buffer) throw wrongType(`${side}.buffer`, buffer, 'a GPUBuffer');
      return [buffer.size, buffer.usage & STORAGE ? 1 : 0, buffer.usage & copy ? 1 : 0, ...layoutNumbers(view)];
    };
    const numbers = [
      from.buffer === to.buffer ? 1 : 0,
      inPass ? 1 : 0,
      ...this.#limits(limits),
      integer(maxSteps, 'maxSteps', 0),
      integer(maxScratchBytes, 'maxScratchBytes', 0),
      ...operand(from, 'src', COPY_SRC),
      ...operand(to, 'dst', COPY_DST),
    ];
    return this.#planner.call(name, numbers, [from.dtype, to.dtype, force, without].join('\n'));
  }

  /** The limits to plan by: the device's, or tighter ones. */
  #limits(tighter) {
    for (const name of Object.keys(tighter)) {
      if (!LIMITS.includes(name)) throw new RestrideError('Type', `no limit of a plan is named ${name}`, { argument: `limits.${name}`, value: name });
    }
    return LIMITS.map((name) => {
      const bound = this.#device.limits[name];
      const value = tighter[name] === undefined ? bound : integer(tighter[name], `limits.${name}`, 0);
      if (name.startsWith('min') ? value < bound : value > bound) {
        throw new RestrideError('BeyondDevice', `the limit ${name} of ${value} is beyond the device's ${bound}`, { argument: `limits.${name}`, value, bound });
      }
      return value;
    });
  }
}
