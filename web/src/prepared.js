import { RestrideError, wrongType } from './error.js';

const [COPY_SRC, COPY_DST, UNIFORM, STORAGE] = [0x4, 0x8, 0x40, 0x80];
const NAMES = { [COPY_SRC]: 'COPY_SRC', [COPY_DST]: 'COPY_DST', [STORAGE]: 'STORAGE' };

/** The most uniform bytes in one buffer. */
const UNIFORM_BUFFER_BYTES = 4 << 20;

/** The buffers that a step runs between, by its route. */
const ends = ({ route }, src, dst, scratch) => [route === 2 ? scratch : src, route === 1 ? scratch : dst];

const alignUp = (bytes, to) => Math.ceil(bytes / to) * to;

/** Refuses buffers that a decoded plan may not run on; without `scratch` it gets one of its own. */
function check(plan, src, dst, scratch, limits) {
  const found = src === dst ? 1 : 2;
  const planned = plan.oneBuffer ? 1 : 2;
  if (found !== planned) {
    throw new RestrideError('BufferCount', `the plan was made for ${planned} buffer(s), not ${found}`, { argument: 'plan', value: found, bound: planned });
  }
  const sides = [['src.buffer', src, plan.srcBytes], ['dst.buffer', dst, plan.dstBytes]];
  if (scratch) {
    if (scratch === src || scratch === dst) {
      throw new RestrideError('ScratchIsOperand', 'the scratch is the source or the destination itself', { argument: 'scratch' });
    }
    sides.push(['scratch', scratch, plan.scratchBytes]);
  }
  for (const [argument, buffer, bytes] of sides) {
    if (buffer.size < bytes) {
      const message = `${argument}: the plan was made for a buffer of ${bytes} bytes, not of ${buffer.size}`;
      throw new RestrideError('OtherBuffer', message, { argument, value: buffer.size, bound: bytes });
    }
  }
  for (const step of plan.steps) {
    const [from, to] = ends(step, src, dst, scratch);
    const usages = step.program ? [STORAGE, STORAGE] : [COPY_SRC, COPY_DST];
    for (const [buffer, usage] of [[from, usages[0]], [to, usages[1]]]) {
      if (!buffer || buffer.usage & usage) continue;
      const [argument] = sides.find(([, side]) => side === buffer);
      throw new RestrideError('MissingUsage', `${argument} lacks the usage ${NAMES[usage]}`, { argument, value: NAMES[usage] });
    }
  }
  if (!scratch && plan.scratchBytes > limits.maxBufferSize) {
    const message = `a scratch of ${plan.scratchBytes} bytes is beyond the device's limit of ${limits.maxBufferSize}`;
    throw new RestrideError('BufferLimit', message, { argument: 'device', value: plan.scratchBytes, bound: limits.maxBufferSize });
  }
}

/**
 * A copy on its two buffers, ready to be recorded any number of times: a recording makes nothing. It holds its bind groups and its
 * uniforms; the buffers' contents may change between recordings.
 */
export class Prepared {
  #owner;
  #commands;
  #own;
  #native;

  /** `owner.use()` gives the device, its pipelines and the name of a fault, or throws. */
  constructor(owner, plan, src, dst, scratch) {
    const { device, pipelines } = owner.use();
    const given = plan.scratchBytes ? scratch : undefined;
    check(plan, src, dst, given, device.limits);
    this.#owner = owner;
    this.#own = [];
    this.#native = plan.steps.some((step) => !step.program);
    try {
      this.#commands = this.#build(device, pipelines, plan, src, dst, given);
    } catch (cause) {
      this.destroy();
      if (cause instanceof RestrideError) throw cause;
      throw new RestrideError('Memory', `the copy's own buffers could not be made: ${cause.message}`, { argument: 'device', cause });
    }
  }

  /** The number of commands that a recording takes: native copies and dispatches. */
  get length() {
    return this.#commands.length;
  }

  /** Records into a command encoder that has no open pass. */
  record(encoder) {
    if (typeof encoder?.beginComputePass !== 'function') throw wrongType('encoder', encoder, 'a GPUCommandEncoder');
    this.#owner.use();
    let pass;
    for (const command of this.#live()) {
      if (command.pipeline) {
        pass ??= encoder.beginComputePass({ label: 'restride' });
        dispatch(pass, command);
      } else {
        pass?.end();
        pass = undefined;
        encoder.copyBufferToBuffer(command.from, command.src, command.to, command.dst, command.size);
      }
    }
    pass?.end();
  }

  /** Records into an open compute pass, whose pipeline and bind groups 0 and 1 it changes. */
  recordInPass(pass) {
    if (typeof pass?.dispatchWorkgroups !== 'function') throw wrongType('pass', pass, 'a GPUComputePassEncoder');
    this.#owner.use();
    const commands = this.#live();
    if (this.#native) {
      throw new RestrideError('NativeInPass', 'a plan with native copies cannot be recorded into an open compute pass', { argument: 'pass' });
    }
    for (const command of commands) dispatch(pass, command);
  }

  /** Frees the copy's own buffers, once what was recorded has been submitted. */
  destroy() {
    for (const buffer of this.#own) buffer.destroy();
    this.#own = [];
    this.#commands = undefined;
  }

  #live() {
    if (this.#commands) return this.#commands;
    throw new RestrideError('Disposed', 'this copy was destroyed', { argument: 'prepared' });
  }

  #buffer(device, descriptor) {
    const buffer = device.createBuffer(descriptor);
    this.#own.push(buffer);
    return buffer;
  }

  #build(device, pipelines, plan, src, dst, given) {
    const usage = STORAGE | COPY_SRC | COPY_DST;
    const scratch = given ?? (plan.scratchBytes ? this.#buffer(device, { label: 'restride scratch', size: plan.scratchBytes, usage }) : undefined);
    const params = this.#params(device, pipelines, plan);
    let windows;
    let made;
    return plan.steps.map((step, i) => {
      const [from, to] = ends(step, src, dst, scratch);
      const { program } = step;
      if (!program) return { from, to, src: step.src, dst: step.dst, size: step.size };
      // A pair of windows mostly repeats: the interior and the edges of a piece.
      const key = [program.access, step.route, step.src.offset, step.src.size, step.dst.offset, step.dst.size].join();
      if (key !== made) {
        const entries = [
          { binding: 0, resource: { buffer: from, ...step.src } },
          { binding: 1, resource: { buffer: to, ...step.dst } },
        ];
        const used = program.access === 2 ? entries.slice(1) : entries;
        windows = device.createBindGroup({ label: 'restride windows', layout: pipelines.windows(program.access), entries: used });
        made = key;
      }
      return { pipeline: pipelines.get(program), windows, ...params[i], groups: step.groups };
    });
  }

  /**
   * The uniform blocks of all dispatches, in buffers that are mapped at creation and never written again: a write through the
   * queue would take effect before every command of its submission. Gives a bind group and an offset for each step.
   */
  #params(device, pipelines, plan) {
    const stride = alignUp(plan.blockBytes, device.limits.minUniformBufferOffsetAlignment);
    const most = Math.max(Math.floor(Math.min(UNIFORM_BUFFER_BYTES, device.limits.maxBufferSize) / stride), 1);
    const dispatches = plan.steps.flatMap((step, i) => (step.program ? [i] : []));
    const places = [];
    for (let first = 0; first < dispatches.length; first += most) {
      const part = dispatches.slice(first, first + most);
      const buffer = this.#buffer(device, { label: 'restride params', size: part.length * stride, usage: UNIFORM, mappedAtCreation: true });
      const bytes = new Uint8Array(buffer.getMappedRange());
      part.forEach((i, k) => bytes.set(plan.steps[i].block, k * stride));
      buffer.unmap();
      const entries = [{ binding: 0, resource: { buffer, size: plan.blockBytes } }];
      const block = device.createBindGroup({ label: 'restride params', layout: pipelines.params, entries });
      part.forEach((i, k) => {
        places[i] = { block, offset: [k * stride] };
      });
    }
    return places;
  }
}

function dispatch(pass, { pipeline, windows, block, offset, groups }) {
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, windows);
  pass.setBindGroup(1, block, offset);
  pass.dispatchWorkgroups(...groups);
}
