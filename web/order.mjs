// An order of a module's functions in which gzip, which looks back 32 kB, finds more of what it has seen.

import { deflateRawSync } from 'node:zlib';
import binaryen from 'binaryen';
import { SECTION, sections } from './prune.mjs';

/** How many moves of functions are tried. */
const TRIES = 3_000;
/** The most functions that move together; most often it is one. */
const MOST_MOVED = 6;

/** The bytes of each function of a module, and what lies before the first and behind the last. */
function split(bytes) {
  const { body, end } = sections(bytes).find(({ id }) => id === SECTION.code);
  const bodies = body.list((reader) => {
    const from = reader.at;
    reader.part();
    return bytes.subarray(from, reader.at);
  });
  return [bytes.subarray(0, end - bodies.reduce((sum, { length }) => sum + length, 0)), bodies, bytes.subarray(end)];
}

const packed = (parts) => deflateRawSync(Buffer.concat(parts), { level: 9 }).length;

/** From the first on, always the one that adds the fewest bytes to the last. */
function chained(bodies) {
  const alone = bodies.map((body) => packed([body]));
  const order = [0];
  const left = new Set(bodies.keys());
  for (left.delete(0); left.size > 0; left.delete(order.at(-1))) {
    const last = order.at(-1);
    let best = Infinity;
    let next;
    for (const other of left) {
      const added = packed([bodies[last], bodies[other]]) - alone[other];
      if (added < best) [best, next] = [added, other];
    }
    order.push(next);
  }
  return order;
}

/** Lays the functions of `module` in an order. */
function lay(module, functions) {
  // What is taken out and put back is the last.
  for (const { name, params, results, vars, body } of functions) {
    module.removeFunction(name);
    module.addFunction(name, params, results, vars, body);
  }
}

/** Lays the functions of `module` in the order that was found. The same sources have the same order, whatever folder they lie in. */
export function reorder(module) {
  const all = () => Array.from({ length: module.getNumFunctions() }, (_, at) => binaryen.getFunctionInfo(module.getFunctionByIndex(at)));
  // The linker's order is that of names, which end with a hash over the folder.
  const plain = ({ name }) => name.replace(/17h[0-9a-f]{16}E$/, '');
  lay(module, all().sort((a, b) => (plain(a) < plain(b) ? -1 : plain(a) > plain(b) ? 1 : 0)));
  // From there on, those used most have the shortest numbers.
  module.runPasses(['reorder-functions']);
  const functions = all();
  const [before, bodies, behind] = split(module.emitBinary());
  // The numbers that calls name are those of the order before: close to what they become, and much faster than the module anew.
  const size = (order) => packed([before, ...order.map((at) => bodies[at]), behind]);
  let seed = 1;
  const random = () => (seed = (seed * 48_271) % 0x7fff_ffff) / 0x7fff_ffff;
  const below = (bound) => Math.floor(bound * random());
  let order = chained(bodies);
  let least = size(order);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const other = [...order];
    const moved = other.splice(below(other.length), 1 + below(MOST_MOVED * random()));
    other.splice(below(other.length + 1), 0, ...moved);
    const found = size(other);
    if (found <= least) [least, order] = [found, other];
  }
  lay(module, order.map((at) => functions[at]));
}
