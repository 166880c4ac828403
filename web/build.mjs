// Builds what the package ships into dist/: the planner's module, made small, and the JavaScript, minified;
// then the demo's page into demo/dist/.
//
//   node build.mjs
//
// Cargo and its target wasm32-unknown-unknown are expected; CARGO_TARGET_DIR says where it builds.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import binaryen from 'binaryen';
import { build } from 'esbuild';
import { reorder } from './order.mjs';
import { pruned } from './prune.mjs';
import { packed } from './shaders.mjs';
import { Planner } from './src/planner.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** One past the numbers that modules can have. */
const MODULE_IDS = 1 << 19;
/**
 * Relocations tell what is used: see prune.mjs. Without loop strength reduction, addresses are computed where they are used,
 * which takes more time and less room, and so do values without partial redundancy elimination. What a call saves is measured, not
 * guessed: inlined up to this size, the module is smallest.
 */
const LLVM = ['-disable-lsr', '-enable-pre=false', '-inline-call-penalty=0', '-inline-memaccess-cost=1', '-inline-threshold=18'];
const RUSTC = ['-Clink-arg=--emit-relocs', ...LLVM.map((option) => `-Cllvm-args=${option}`)];
const target = process.env.CARGO_TARGET_DIR ?? here('../target');

rmSync(here('dist'), { recursive: true, force: true });
mkdirSync(here('dist'));
const shaders = await shadersOf(compiled('--features', 'shaders'));
writeFileSync(here('dist/planner.wasm'), small(compiled(), await packed(shaders)));
await build({
  entryPoints: [here('src/index.js'), here('src/node.js')],
  outdir: here('dist'),
  bundle: true,
  minify: true,
  splitting: true,
  chunkNames: 'restride',
  format: 'esm',
  target: 'es2022',
  external: ['node:*'],
});
for (const licence of ['LICENSE-MIT', 'LICENSE-APACHE']) copyFileSync(here(`../${licence}`), here(licence));
await import('./demo/build.mjs');

/** The planner's module as cargo makes it. */
function compiled(...options) {
  const manifest = here('planner/Cargo.toml');
  const profile = ['--release', '--locked', '--target', 'wasm32-unknown-unknown', '--manifest-path', manifest];
  execFileSync('cargo', ['rustc', ...profile, ...options, '--', ...RUSTC], {
    stdio: 'inherit',
    env: { ...process.env, CARGO_TARGET_DIR: target },
  });
  return readFileSync(`${target}/wasm32-unknown-unknown/release/restride_planner.wasm`);
}

/** The WGSL of every program, by the number of its module. */
async function shadersOf(bytes) {
  const planner = await Planner.load(bytes);
  const texts = new Map();
  for (let id = 0; id < MODULE_IDS; id += 1) {
    const text = planner.text('shader', [id]);
    if (text) texts.set(id, text);
  }
  return texts;
}

/** The module, optimised for size, with the shaders. */
function small(linked, shaders) {
  const { BulkMemory, BulkMemoryOpt = 0, MutableGlobals, NontrappingFPToInt, SignExt } = binaryen.Features;
  const module = binaryen.readBinary(pruned(linked));
  // What every engine with WebGPU has, and rustc takes for granted.
  module.setFeatures(BulkMemory | BulkMemoryOpt | MutableGlobals | NontrappingFPToInt | SignExt);
  binaryen.setOptimizeLevel(2);
  binaryen.setShrinkLevel(2);
  binaryen.setDebugInfo(false);
  // What rustc did not inline is smaller under gzip where it is.
  binaryen.setAlwaysInlineMaxSize(0);
  binaryen.setOneCallerInlineMaxSize(0);
  for (let pass = 0; pass < 2; pass += 1) {
    module.runPasses(['generate-global-effects']);
    module.optimize();
  }
  // The locals used most get the shortest numbers; nobody reads who made the module. No engine needs hints of
  // alignment, and without them alike accesses are alike bytes.
  const last = ['coalesce-locals-learning', 'reorder-locals', 'vacuum', 'strip-producers', 'strip-target-features'];
  module.runPasses([...last, 'dealign']);
  reorder(module);
  module.addCustomSection('shaders', shaders);
  return module.emitBinary();
}
