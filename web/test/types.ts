// Compiled, never run: what callers write must fit the types, and what they must not write must not.
import { PLAN_VERSION, Prepared, Restride, RestrideError, View, type DType, type ViewDescription } from 'restride';

export async function uses(device: GPUDevice, buffer: GPUBuffer, encoder: GPUCommandEncoder, pass: GPUComputePassEncoder): Promise<number> {
  const restride: Restride = await Restride.create(device, { wasm: new Uint8Array() });
  const described: ViewDescription = { buffer, dtype: 'float32', shape: [2n, 3], strides: new Int32Array([3, 1]), offset: 1n, view: '.T' };
  const view: View = restride.view(described).permute(1, 0).permute([1, 0]).reshape(-1).slice(0, null, 3).bitcast('bits(16)');
  restride.copy(encoder, view, described, { force: 'rows', without: ['native'], limits: { maxBufferSize: 4n }, maxSteps: 3, maxScratchBytes: 0 });
  restride.copyInPass(pass, described, view);
  const made: View = restride.materialize(encoder, view, { usage: 0x80, label: 'made' });
  await restride.warm(view, made);
  const prepared: Prepared = await restride.prepare(view, made, { inPass: true });
  prepared.record(encoder);
  prepared.recordInPass(pass);
  prepared.destroy();
  const plan: Uint8Array = restride.plan(view, made);
  await restride.prepareEncoded(plan, buffer, buffer);
  const text: string = restride.explain(view, made);
  const dtype: DType = view.dtype;
  try {
    restride.dispose();
  } catch (error) {
    if (error instanceof RestrideError) return error.code.length + (error.argument?.length ?? 0);
  }
  // @ts-expect-error no dtype has this name
  restride.view({ dtype: 'float', shape: [1] });
  // @ts-expect-error a view never changes
  view.offset = 3;
  // @ts-expect-error extents are integers
  restride.view({ dtype: 'uint8', shape: ['1'] });
  // @ts-expect-error the constructor is for create alone
  new Restride(device);
  // @ts-expect-error no rung has this name
  restride.copy(encoder, view, view, { force: 'fast' });
  return PLAN_VERSION + text.length + dtype.length + prepared.length + view.size + view.shape[0]!;
}
