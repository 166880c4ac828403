// Runs a wasm32-wasip1 program under Node's WASI: cargo's runner for the host tests on 32-bit wasm.
//
//   node --no-warnings run.mjs PROGRAM.wasm [ARGUMENT…]

import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [, , program, ...rest] = process.argv;
const here = process.cwd();
const wasi = new WASI({ version: 'preview1', args: [program, ...rest], env: process.env, preopens: { [here]: here } });
const module = await WebAssembly.compile(await readFile(program));
// Not `getImportObject`, which Node 18 has not.
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
// Not `process.exit`, which can pull the engine down while its threads still compile.
process.exitCode = wasi.start(instance);
