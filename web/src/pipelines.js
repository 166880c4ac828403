import { RestrideError } from './error.js';

/** `GPUShaderStage.COMPUTE`: not every engine has the names as globals. */
const COMPUTE = 4;

/** The bind group layouts and the pipelines of one device, made when first needed and kept. */
export class Pipelines {
  #device;
  #planner;
  #modules = new Map();
  #made = new Map();
  #pending = new Map();
  #layouts;

  constructor(device, planner) {
    this.#device = device;
    this.#planner = planner;
    const layout = (label, entries) =>
      device.createBindGroupLayout({
        label,
        entries: entries.map(([binding, type, hasDynamicOffset = false]) => ({ binding, visibility: COMPUTE, buffer: { type, hasDynamicOffset } })),
      });
    /** Group 1: the uniform block, at an offset. */
    this.params = layout('restride params', [[0, 'uniform', true]]);
    const access = (label, entries) => {
      const windows = layout(label, entries);
      return { windows, pipeline: device.createPipelineLayout({ label, bindGroupLayouts: [windows, this.params] }) };
    };
    // In the order of the encoding's numbers.
    this.#layouts = [
      access('restride two', [[0, 'read-only-storage'], [1, 'storage']]),
      access('restride two writable', [[0, 'storage'], [1, 'storage']]),
      access('restride one', [[1, 'storage']]),
    ];
  }

  /** The number of pipelines made so far. */
  get count() {
    return this.#made.size;
  }

  /** The layout of group 0: the two windows. */
  windows(access) {
    return this.#layouts[access].windows;
  }

  /** The pipeline of a program; it is made now, in the middle of the caller's work, if it is not there. */
  get(program) {
    let pipeline = this.#made.get(program.key);
    if (!pipeline) {
      pipeline = this.#device.createComputePipeline(this.#descriptor(program));
      this.#made.set(program.key, pipeline);
    }
    return pipeline;
  }

  /** Makes the pipelines of programs without holding up the caller. */
  async warm(programs) {
    await Promise.all(programs.map((program) => this.#warm(program)));
  }

  #warm(program) {
    const { key } = program;
    if (this.#made.has(key)) return undefined;
    if (!this.#pending.has(key)) {
      const made = this.#device.createComputePipelineAsync(this.#descriptor(program)).then(
        (pipeline) => this.#made.set(key, pipeline),
        (cause) => {
          throw new RestrideError('Pipeline', `${program.label}: ${cause.message}`, { argument: 'device', cause });
        },
      );
      this.#pending.set(key, made.finally(() => this.#pending.delete(key)));
    }
    return this.#pending.get(key);
  }

  #descriptor({ moduleId, access, label, constants }) {
    return {
      label,
      layout: this.#layouts[access].pipeline,
      compute: { module: this.#module(moduleId), entryPoint: 'main', constants },
    };
  }

  #module(id) {
    let module = this.#modules.get(id);
    if (!module) {
      const code = this.#planner.shader(id);
      if (!code) throw new RestrideError('PlanFormat', `not an encoded plan: no shader has the number ${id}`, { argument: 'plan', value: id });
      module = this.#device.createShaderModule({ label: `restride ${id}`, code });
      this.#modules.set(id, module);
    }
    return module;
  }
}
