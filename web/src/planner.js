import { RestrideError, wrongType } from './error.js';

/** How the bytes of a URL are had: Node replaces it, as its fetch reads no files. */
export const loader = {
  fetch: async (url) => {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    return response.arrayBuffer();
  },
};

/** The planner's WebAssembly module: numbers and a text in, numbers and bytes out. */
export class Planner {
  #module;
  #exports;
  #shaders;

  constructor(module, instance, shaders) {
    this.#module = module;
    this.#exports = instance.exports;
    this.#shaders = shaders;
  }

  /** From a compiled module, its bytes, or a URL; without any from the file beside this one. */
  static async load(wasm = new URL('./planner.wasm', import.meta.url)) {
    let module = wasm;
    try {
      if (typeof wasm === 'string' || wasm instanceof URL) module = await loader.fetch(wasm);
      if (module instanceof ArrayBuffer || ArrayBuffer.isView(module)) module = await WebAssembly.compile(module);
    } catch (cause) {
      throw new RestrideError('Wasm', `the planner's module could not be loaded: ${cause.message}`, { argument: 'wasm', cause });
    }
    if (!(module instanceof WebAssembly.Module)) throw wrongType('wasm', wasm, 'a WebAssembly.Module, its bytes, or a URL');
    return new Planner(module, await WebAssembly.instantiate(module), await shadersOf(module));
  }

  /** Calls `name` and gives `{numbers, bytes}`, both copies. */
  call(name, numbers, text = '') {
    const wasm = this.#exports;
    const encoded = new TextEncoder().encode(text);
    try {
      // Both are asked for before either is written: asking may move the memory.
      const at = wasm.numbers(numbers.length);
      const textAt = wasm.text(encoded.length);
      new Float64Array(wasm.memory.buffer, at, numbers.length).set(numbers);
      new Uint8Array(wasm.memory.buffer, textAt, encoded.length).set(encoded);
      const failed = wasm[name]();
      const memory = wasm.memory.buffer;
      const answer = {
        numbers: Array.from(new Float64Array(memory, wasm.out_numbers(), wasm.out_numbers_count())),
        bytes: new Uint8Array(memory, wasm.out_bytes(), wasm.out_bytes_count()).slice(),
      };
      if (!failed) return answer;
      throw refusal(answer);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      // A trap leaves the instance as it was in the middle of the call: another takes its place.
      this.#exports = new WebAssembly.Instance(this.#module).exports;
      throw new RestrideError('Internal', 'the planner stopped: a fault of restride', { cause: error });
    }
  }

  /** The WGSL of the module with this number, empty if there is none like it. */
  shader(id) {
    const { pieces, modules } = this.#shaders;
    const word = modules.get(id);
    if (!word && id & TWIN) return writable(this.shader(id - TWIN));
    if (!word && id & (2 * TWIN)) return own(this.shader(id - 2 * TWIN));
    return Array.from(word ?? '', (letter) => unrolled(pieces[LETTERS.indexOf(letter)])).join('');
  }

  /** Calls `name` and gives the bytes as text. */
  text(name, numbers, text) {
    return new TextDecoder().decode(this.call(name, numbers, text).bytes);
  }
}

/** The shaders that the build packed into a section of the module. */
async function shadersOf(module) {
  const [section] = WebAssembly.Module.customSections(module, 'shaders');
  if (!section) return { pieces: [], modules: new Map() };
  const stream = new Blob([section]).stream().pipeThrough(new DecompressionStream('deflate'));
  const [pieces, modules] = await new Response(stream).json();
  // Each word after its number, less that of the one before.
  let id = 0;
  return { pieces, modules: new Map(Array.from(modules.matchAll(/(\d+)(\S*)/g), ([, step, word]) => [(id += +step), word])) };
}

/** What names the pieces of shaders in a word: no digits, spaces, or what JSON would write otherwise. */
export const LETTERS = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter((letter) => /[^\0-\x20\d"\\\x7f-\xa0]/.test(letter));

/**
 * What the number of a module with two writable bindings is larger by than that of the one that reads its source alone; the
 * number of one with a single binding is larger by twice that.
 */
export const TWIN = 256;

/** The module with two writable bindings, from the one that reads its source alone. */
export const writable = (text) => text.replace('read>', 'read_write>');

/** The module with a single binding, from the same. */
export const own = (text) =>
  text.replace(/@group\(0\) @binding\(0\)[^;]*;\n?/, '').replace('return src[i]', text.includes('atomic<') ? 'return atomicLoad(&dst[i])' : 'return dst[i]');

/** The text of parts, each a text or how often one is repeated, its numbers growing: `#3:2` is 3, 5, 7 and so on. */
export function unrolled(parts) {
  if (typeof parts === 'string') return parts;
  const repeated = ([times, text]) => Array.from({ length: times }, (_, i) => text.replace(/#(\d+):(-?\d+)/g, (_, first, step) => +first + i * step)).join('');
  return parts.map((part) => (typeof part === 'string' ? part : repeated(part))).join('');
}

/** The error that an answer stands for: code, argument, value as text, message; value and bound as numbers. */
function refusal({ numbers, bytes }) {
  const [code, argument, name, ...message] = new TextDecoder().decode(bytes).split('\n');
  const [value, bound] = numbers.map((number) => (Number.isNaN(number) ? undefined : number));
  return new RestrideError(code, message.join('\n'), { argument: argument || undefined, value: name || value, bound });
}
