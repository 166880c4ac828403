// Builds what the package ships into dist/: the planner's module, made small, and the JavaScript, minified;
// then the demo's page into demo/dist/.
//
//   node build.mjs
//
// Cargo and its target wasm32-unknown-unknown are expected; CARGO_TARGET_DIR says where it builds.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import binaryen from 'binaryen';
import { build } from 'esbuild';
import { Planner } from './src/planner.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** One past the numbers that modules can have. */
const MODULE_IDS = 1 << 19;
const target = process.env.CARGO_TARGET_DIR ?? here('../target');

rmSync(here('dist'), { recursive: true, force: true });
mkdirSync(here('dist'));
const shaders = await shadersOf(compiled('--features', 'shaders'));
writeFileSync(here('dist/planner.wasm'), small(compiled(), packed(shaders)));
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
  execFileSync('cargo', ['build', '--release', '--locked', '--target', 'wasm32-unknown-unknown', '--manifest-path', manifest, ...options], {
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

/** Texts as a section of the module: the declarations that they are made of once each, and of which ones each is. */
function packed(texts) {
  const pieces = new Map();
  const number = (piece) => pieces.get(piece) ?? pieces.set(piece, pieces.size).get(piece);
  const modules = {};
  for (const [id, text] of texts) modules[id] = text.split(/^(?=fn |struct |override |@)/m).map(number);
  return deflateSync(JSON.stringify({ pieces: [...pieces.keys()], modules }), { level: 9 });
}

/** The module, optimised for size, with the shaders. A panic would end in a trap after words that nobody reads: here it traps at once. */
function small(bytes, shaders) {
  const { BulkMemory, BulkMemoryOpt = 0, MutableGlobals, NontrappingFPToInt, SignExt } = binaryen.Features;
  const module = binaryen.readBinary(bytes);
  // What every engine with WebGPU has, and rustc takes for granted.
  module.setFeatures(BulkMemory | BulkMemoryOpt | MutableGlobals | NontrappingFPToInt | SignExt);
  const panics = /core9panicking|\d(slice_index_fail|slice_error_fail|unwrap_failed|expect_failed|len_mismatch_fail|handle_alloc_error|capacity_overflow)$/;
  let found = 0;
  for (let i = 0; i < module.getNumFunctions(); i += 1) {
    const ref = module.getFunctionByIndex(i);
    const { name, body } = binaryen.getFunctionInfo(ref);
    if (!body || !panics.test(name)) continue;
    binaryen.Function(ref).setBody(module.unreachable());
    found += 1;
  }
  if (found === 0) throw new Error('the module names no panic: was it stripped?');
  binaryen.setOptimizeLevel(2);
  binaryen.setShrinkLevel(2);
  binaryen.setDebugInfo(false);
  for (let pass = 0; pass < 3; pass += 1) module.optimize();
  module.addCustomSection('restride shaders', shaders);
  return module.emitBinary();
}
