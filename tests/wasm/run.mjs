// Runs a wasm32-wasip1 program under Node: cargo's runner for the host tests on 32-bit wasm.
//
//   node run.mjs PROGRAM.wasm [ARGUMENT…]
//
// The few calls that a test program makes are served here: arguments, environment, clocks, random bytes, output. Node's own
// WASI is experimental, and brings Node 20 down with a segmentation fault after the suite has passed.

import { readFile } from 'node:fs/promises';
import { writeSync } from 'node:fs';

const OK = 0;
const BAD_DESCRIPTOR = 8;
const NOT_SUPPORTED = 52;

const [, , program, ...rest] = process.argv;
let memory;
const view = () => new DataView(memory.buffer);
const bytes = (at, length) => new Uint8Array(memory.buffer, at, length);

/** Serves `*_sizes_get` and `*_get` for a list of strings that end with a zero byte. */
function strings(list) {
  const encoded = list.map((text) => new TextEncoder().encode(`${text}\0`));
  const sizes = (count, size) => {
    view().setUint32(count, encoded.length, true);
    view().setUint32(size, encoded.reduce((sum, text) => sum + text.length, 0), true);
    return OK;
  };
  const get = (pointers, buffer) => {
    let at = buffer;
    encoded.forEach((text, i) => {
      view().setUint32(pointers + 4 * i, at, true);
      bytes(at, text.length).set(text);
      at += text.length;
    });
    return OK;
  };
  return [sizes, get];
}

const [argumentSizes, argumentsGet] = strings([program, ...rest]);
const [environmentSizes, environmentGet] = strings(Object.entries(process.env).map(([name, value]) => `${name}=${value}`));

class Exit extends Error {
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}

const calls = {
  args_sizes_get: argumentSizes,
  args_get: argumentsGet,
  environ_sizes_get: environmentSizes,
  environ_get: environmentGet,
  clock_time_get(clock, _precision, time) {
    const now = clock === 0 ? BigInt(Date.now()) * 1_000_000n : process.hrtime.bigint();
    view().setBigUint64(time, now, true);
    return OK;
  },
  random_get(at, length) {
    for (let done = 0; done < length; done += 65536) {
      crypto.getRandomValues(bytes(at + done, Math.min(65536, length - done)));
    }
    return OK;
  },
  fd_write(descriptor, vectors, count, written) {
    if (descriptor !== 1 && descriptor !== 2) return BAD_DESCRIPTOR;
    let total = 0;
    for (let i = 0; i < count; i += 1) {
      const at = view().getUint32(vectors + 8 * i, true);
      const length = view().getUint32(vectors + 8 * i + 4, true);
      const part = Buffer.from(bytes(at, length));
      for (let done = 0; done < length; ) done += writeSync(descriptor, part, done);
      total += length;
    }
    view().setUint32(written, total, true);
    return OK;
  },
  sched_yield: () => OK,
  // No folder is open.
  fd_prestat_get: () => BAD_DESCRIPTOR,
  proc_exit(code) {
    throw new Exit(code);
  },
};

const module = await WebAssembly.compile(await readFile(program));
const imports = {};
for (const { module: from, name } of WebAssembly.Module.imports(module)) {
  imports[from] ??= {};
  imports[from][name] = calls[name] ?? (() => NOT_SUPPORTED);
}
if (!globalThis.crypto) globalThis.crypto = (await import('node:crypto')).webcrypto; // Node 18
const { exports } = await WebAssembly.instantiate(module, imports);
memory = exports.memory;
try {
  exports._start();
} catch (error) {
  if (!(error instanceof Exit)) throw error;
  process.exitCode = error.code;
}
