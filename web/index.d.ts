// The names GPU… are those of TypeScript's DOM library, or of @webgpu/types where that lacks them.

/** A safe integer, as a Number or a BigInt. */
export type Integer = number | bigint;

/** The name of an element type. A copy knows its width alone; `bits(n)` stands for any width from 1 to 128. */
export type DType =
  | 'bool' | 'bit'
  | 'int2' | 'int4' | 'int8' | 'int16' | 'int32' | 'int64'
  | 'uint2' | 'uint4' | 'uint8' | 'uint16' | 'uint32' | 'uint64'
  | 'float4_e2m1fn' | 'float6_e2m3fn' | 'float6_e3m2fn'
  | 'float8_e4m3fn' | 'float8_e5m2' | 'float8_e4m3' | 'float8_e3m4' | 'float8_e4m3fnuz' | 'float8_e5m2fnuz'
  | 'float8_e4m3b11fnuz' | 'float8_e8m0fnu'
  | 'float16' | 'bfloat16' | 'float32' | 'float64' | 'complex64' | 'complex128'
  | `bits(${number})`;

/** A strided view, described: the element at index `(i, …)` is at `offset + Σ i·stride`, counted in elements from the first byte. */
export interface ViewDescription {
  /** The buffer; yours. A view without one can be moved about, but not copied. */
  buffer?: GPUBuffer;
  /** The type of its elements. */
  dtype: DType;
  /** The extents, up to 32 of them. */
  shape: Iterable<Integer>;
  /** The distances between neighbours along each axis, in elements; those of C order if left out. */
  strides?: Iterable<Integer>;
  /** The position of index 0, in elements; 0 if left out. */
  offset?: Integer;
  /** What to make of the view: NumPy's basic indexing and a few words, chained, as in `"[2:5, ::-1].T"`. */
  view?: string;
}

/** What a copy is planned by. */
export interface PlanOptions {
  /** Limits tighter than the device's, by their WebGPU names. */
  limits?: Partial<Record<PlanLimit, Integer>>;
  /** The one rung of the ladder to use. */
  force?: Rung;
  /** Rungs to leave out. */
  without?: readonly Rung[];
  /** The most steps that a plan may have: 65,536 if left out. */
  maxSteps?: Integer;
  /** The most bytes of scratch that views which overlap in one buffer may go through; 0 refuses them. */
  maxScratchBytes?: Integer;
  /** A buffer of yours to go through, where one is needed, in place of one that is made each time. Its contents are lost. */
  scratch?: GPUBuffer;
  /** Whether the plan is for an open compute pass, which has no native copies. `copyInPass` plans so by itself. */
  inPass?: boolean;
}

export type Rung = 'nothing' | 'native' | 'rows' | 'blocks' | 'gather' | 'scatter';

export type PlanLimit =
  | 'maxStorageBufferBindingSize'
  | 'minStorageBufferOffsetAlignment'
  | 'minUniformBufferOffsetAlignment'
  | 'maxUniformBufferBindingSize'
  | 'maxBufferSize'
  | 'maxComputeWorkgroupsPerDimension'
  | 'maxComputeInvocationsPerWorkgroup'
  | 'maxComputeWorkgroupSizeX';

/** Strided copies on one device: the planner, and the pipelines made so far. It never submits and never waits. */
export class Restride {
  private constructor();

  /**
   * Strided copies on `device`, which stays yours. `wasm` is the planner's module, its bytes, or its URL; without it, the file
   * beside the package's own is fetched.
   */
  static create(device: GPUDevice, options?: { wasm?: WebAssembly.Module | BufferSource | URL | string }): Promise<Restride>;

  /** The device that copies are recorded for. */
  readonly device: GPUDevice;
  /** The number of pipelines made so far. */
  readonly pipelineCount: number;

  /** A view, checked, with the moves as methods. */
  view(description: ViewDescription | View): View;

  /**
   * Records the copy of `src` to `dst` into a command encoder that has no open pass. A pipeline that is not there yet is made at
   * once, which holds up the GPU's work: `warm` makes it ahead.
   */
  copy(encoder: GPUCommandEncoder, src: ViewDescription | View, dst: ViewDescription | View, options?: PlanOptions): void;

  /** Records the copy of `src` to `dst` into an open compute pass, whose pipeline and bind groups 0 and 1 it changes. */
  copyInPass(pass: GPUComputePassEncoder, src: ViewDescription | View, dst: ViewDescription | View, options?: PlanOptions): void;

  /** Records the copy of `view` into a new buffer, in C order, and gives the view of that: yours from then on. */
  materialize(encoder: GPUCommandEncoder, view: ViewDescription | View, options?: PlanOptions & { label?: string; usage?: GPUBufferUsageFlags }): View;

  /** Makes the pipelines of a copy ahead, without holding anything up. */
  warm(src: ViewDescription | View, dst: ViewDescription | View, options?: PlanOptions): Promise<void>;

  /** The copy of `src` to `dst`, ready to be recorded any number of times. Its pipelines are made without holding anything up. */
  prepare(src: ViewDescription | View, dst: ViewDescription | View, options?: PlanOptions): Promise<Prepared>;

  /** An encoded plan on two buffers, ready to be recorded any number of times. A plan of another version is refused. */
  prepareEncoded(plan: Uint8Array, src: GPUBuffer, dst: GPUBuffer, scratch?: GPUBuffer): Promise<Prepared>;

  /** The plan of a copy as bytes, as `prepareEncoded` takes it; the same that the Rust crate makes. */
  plan(src: ViewDescription | View, dst: ViewDescription | View, options?: PlanOptions): Uint8Array;

  /** The plan of a copy in words: what was chosen, and what the others would cost or lack. */
  explain(src: ViewDescription | View, dst: ViewDescription | View, options?: PlanOptions): string;

  /** Forgets the pipelines. Device and buffers are yours; what was recorded stays good. */
  dispose(): void;
}

/** A strided view of a buffer. It never changes, and no move touches an element. Negative axes count from the last one. */
export class View {
  private constructor();
  readonly buffer: GPUBuffer | undefined;
  readonly dtype: DType;
  /** Bits of one element. */
  readonly bits: number;
  readonly shape: readonly number[];
  /** In elements; 0 for an axis of one element. */
  readonly strides: readonly number[];
  /** In elements. */
  readonly offset: number;
  /** The number of elements. */
  readonly size: number;
  /** The bytes that the elements take side by side. */
  readonly byteLength: number;

  /** The view that a text makes of this one, as in `"[2:5, ::-1].T"`. */
  apply(text: string): View;
  /** The axes in reverse order. */
  transpose(): View;
  /** Axis `i` of the result is this one's axis `axes[i]`. */
  permute(...axes: Integer[] | [readonly Integer[]]): View;
  /** Two axes in each other's place. */
  swap(a: Integer, b: Integer): View;
  /** The same elements in C order under another shape, where strides express that; one extent may be -1. */
  reshape(...shape: Integer[] | [readonly Integer[]]): View;
  /** Axes of extent 1 repeated, and new ones before them. */
  broadcast(...shape: Integer[] | [readonly Integer[]]): View;
  /** An axis backwards. */
  flip(axis: Integer): View;
  /** Elements `start`, `start + step`, … before `stop` of an axis, as in NumPy: bounds outside the axis move to its end. */
  slice(axis: Integer, start?: Integer | null, stop?: Integer | null, step?: Integer): View;
  /** `length` elements of an axis from `start` on, all of which there must be. */
  narrow(axis: Integer, start: Integer, length: Integer): View;
  /** One element of an axis, which is dropped. */
  select(axis: Integer, index: Integer): View;
  /** Without every axis of extent 1, or without one that must be such. */
  squeeze(axis?: Integer): View;
  /** With a new axis of extent 1 before `axis`. */
  unsqueeze(axis: Integer): View;
  /** Windows of `size` elements, `dilation` apart, one every `step` elements; a new last axis counts a window's elements. */
  window(axis: Integer, size: Integer, step?: Integer, dilation?: Integer): View;
  /** The same bits as elements of another dtype. */
  bitcast(dtype: DType): View;
}

/** A copy on its two buffers, ready to be recorded any number of times; their contents may change in between. */
export class Prepared {
  private constructor();
  /** The number of commands that a recording takes: native copies and dispatches. */
  readonly length: number;
  /** Records into a command encoder that has no open pass. */
  record(encoder: GPUCommandEncoder): void;
  /** Records into an open compute pass, whose pipeline and bind groups 0 and 1 it changes. */
  recordInPass(pass: GPUComputePassEncoder): void;
  /** Frees the copy's own buffers, once what was recorded has been submitted. */
  destroy(): void;
}

/** The version of encoded plans that this package makes and carries out. */
export const PLAN_VERSION: number;

/** Why a call was refused: nothing was recorded. */
export class RestrideError extends Error {
  constructor(code: string, message: string, details?: { argument?: string; value?: unknown; bound?: unknown; cause?: unknown });
  /** What kind of refusal it is: `BufferTooSmall`, `ViewText`, `DeviceLost`, …: README has the list. */
  readonly code: string;
  /** What was wrong, as in `src.shape[1]`. */
  readonly argument: string | undefined;
  /** What it was. */
  readonly value: unknown;
  /** What it had to respect. */
  readonly bound: unknown;
}
