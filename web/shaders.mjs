// The texts of the shaders as one small piece of data: with short names, the declarations that they are made of once each, and lines
// that are one line with other numbers as that line. `../src/planner.js` unpacks it.

import { promisify } from 'node:util';
import zopfli from '@gfx/zopfli';
import { LETTERS, TWIN, own, unrolled, writable } from './src/planner.js';

/** The most lines that are repeated together. */
const MOST_LINES = 8;

/** A name, or a word of the language, but for attributes. */
const NAME = /(?<![@\w])[A-Za-z_]\w*/g;

/** What `../src/planner.js` looks for, and what pipelines name. */
const KEPT = ['src', 'dst', 'i', 'main'];

/**
 * The texts with one letter, or two, for each name that they declare, the same in all of them. Names of overrides stay, as do those
 * with digits, of which lines are made that repeat, and those that could be components of a vector.
 */
function shortened(texts) {
  const all = [...texts.values()].join('\n');
  const declared = all.matchAll(/\b(?:fn|struct|let|var|const|alias)(?:<[^>]*>)? ?([A-Za-z_]\w*)|([A-Za-z_]\w*):/g);
  const kept = new Set([...KEPT, ...Array.from(all.matchAll(/\boverride (\w+)/g), ([, name]) => name)]);
  const uses = new Map();
  for (const [, one, other] of declared) {
    const name = one ?? other;
    if (!kept.has(name) && !/\d|^[xyzw]{1,4}$/.test(name)) uses.set(name, 0);
  }
  // A name of another thing that is called as well is a function of the language there.
  for (const [, name] of all.matchAll(/(?<![@\w])(\w+)\(/g)) {
    if (uses.has(name) && !new RegExp(`\\b(fn|struct|alias) ${name}\\b`).test(all)) throw new Error(`${name} is two things`);
  }
  const taken = new Set();
  for (const [name] of all.matchAll(NAME)) {
    if (uses.has(name)) uses.set(name, uses.get(name) + 1);
    else taken.add(name);
  }
  const letters = [...'abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  // No word of the language ends with a capital.
  const free = [...letters, ...letters.flatMap((first) => letters.slice(22).map((second) => first + second))].filter((name) => !taken.has(name));
  const names = [...uses].sort(([, a], [, b]) => b - a).map(([name], at) => [name, free[at]]);
  if (names.length > free.length) throw new Error(`${names.length} names have no letters`);
  const short = new Map(names);
  return new Map([...texts].map(([id, text]) => [id, text.replace(NAME, (name) => short.get(name) ?? name)]));
}

/** Texts by their numbers as a section of the module: what `deflate` reads, by a packer that takes its time. */
export async function packed(long) {
  const texts = shortened(long);
  const numbers = new Map();
  const number = (piece) => numbers.get(piece) ?? numbers.set(piece, numbers.size).get(piece);
  const twins = [...texts].filter(([id, text]) => {
    const [first, made] = id & TWIN ? [id - TWIN, writable] : [id - 2 * TWIN, own];
    return texts.has(first) && made(texts.get(first)) === text;
  });
  const others = new Set(twins.map(([id]) => id));
  const lists = [...texts].filter(([id]) => !others.has(id)).map(([id, text]) => [id, text.split(/^(?=fn |struct |override |@)/m).map(number)]);
  const pieces = [...numbers.keys()];
  const modules = joined(lists, pieces);
  // Those that no list has were joined to others.
  const left = [...pieces.keys()].filter((number) => pieces[number] !== null);
  const places = new Map(left.map((number, place) => [number, place]));
  for (const [, list] of modules) list.forEach((number, at) => (list[at] = places.get(number)));
  const rolled = left.map((number) => rolledUp(pieces[number]));
  if (rolled.length > LETTERS.length) throw new Error(`${rolled.length} pieces have no letters`);
  const words = modules.map(([id, list]) => [id, list.map((number) => LETTERS[number]).join('')]).sort(([a], [b]) => a - b);
  const entries = words.map(([id, word], at) => id - (words[at - 1]?.[0] ?? 0) + word);
  // Lines end with punctuation, and no comment is left for them to end.
  const text = JSON.stringify([rolled, entries.join(' ')]).replaceAll('\\n', '');
  return promisify(zopfli.zlib)(new TextEncoder().encode(text), { numiterations: 300 });
}

/** The lists with pieces that only ever follow each other as one piece. */
function joined(lists, pieces) {
  for (let first = 0; first < pieces.length; first += 1) {
    for (;;) {
      const places = lists.flatMap(([, list]) => list.flatMap((piece, at) => (piece === first ? [list[at + 1]] : [])));
      const next = places[0];
      const follows = (list, at) => list[at] !== next || list[at - 1] === first;
      if (next === undefined || places.some((piece) => piece !== next) || !lists.every(([, list]) => list.every((_, at) => follows(list, at)))) break;
      pieces[first] += pieces[next];
      pieces[next] = null;
      for (const [, list] of lists) if (list.includes(next)) list.splice(list.indexOf(next), 1);
    }
  }
  return lists;
}

/** A text as parts, each a text or how often one is repeated, with what its numbers grow by: `#3:2` is 3, 5, 7 and so on. */
function rolledUp(text) {
  const lines = text.split(/(?<=\n)/);
  const parts = [];
  let plain = '';
  for (let at = 0; at < lines.length; ) {
    let best = { saved: 0 };
    for (let period = 1; period <= MOST_LINES; period += 1) {
      const found = repeats(lines, at, period);
      if (found.saved > best.saved) best = found;
    }
    if (best.saved === 0) {
      plain += lines[at++];
      continue;
    }
    if (plain) parts.push(plain);
    plain = '';
    parts.push([best.times, best.text]);
    at += best.lines;
  }
  if (plain) parts.push(plain);
  if (unrolled(parts) !== text) throw new Error('a shader would not be what it was');
  return parts.length === 1 && typeof parts[0] === 'string' ? text : parts;
}

/** How often the `period` lines from `at` come in a row, each time with all numbers larger by the same, and how much that saves. */
function repeats(lines, at, period) {
  const block = (i) => lines.slice(at + i * period, at + (i + 1) * period).join('');
  const tokens = (i) => block(i).split(/(\d+)/);
  const [first, second] = [tokens(0), tokens(1)];
  if (first.length !== second.length) return { saved: 0 };
  const steps = first.map((token, k) => Number(second[k]) - Number(token));
  const nth = (i) => first.map((token, k) => (k % 2 && steps[k] ? String(Number(token) + i * steps[k]) : token)).join('');
  let times = 1;
  while (at + (times + 1) * period <= lines.length && block(times) === nth(times)) times += 1;
  const text = first.map((token, k) => (k % 2 && steps[k] ? `#${token}:${steps[k]}` : token)).join('');
  return { times, text, lines: times * period, saved: times > 1 ? Math.max(0, block(0).length * times - text.length - 8) : 0 };
}
