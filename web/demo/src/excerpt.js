// The small part of a layout that is drawn: which indices, and the lines of memory that they reach.
import { positionOf } from './reference.js';

/**
 * The most elements drawn along the last axis, the one before it, and so on, and one of every axis before those: the first of these
 * choices whose elements lie in few lines of memory.
 */
const CHOICES = [[8, 6, 3], [6, 4, 3], [4, 4, 3], [4, 3, 2], [3, 2, 2]];
const FEW_LINES = 10;
/** Where there are no more than this many elements, and no more than this many along the last axis, the first choice is all of them. */
const [ALL, WIDE] = [64, 12];
/** The most lines of memory. */
const LINES = 20;

/** The extents of the part of a view that is drawn, by one of the choices. */
export function drawnShape(shape, most = CHOICES[0]) {
  const count = shape.reduce((product, extent) => product * extent, 1);
  if (most === CHOICES[0] && count <= ALL && (shape.at(-1) ?? 1) <= WIDE) return [...shape];
  let budget = ALL;
  const fromLast = [...shape].reverse().map((extent, i) => {
    const taken = Math.min(extent, most[i] ?? 1, Math.max(budget, 1));
    budget = Math.floor(budget / Math.max(taken, 1));
    return taken;
  });
  return fromLast.reverse();
}

/**
 * The excerpt of a view over a memory of `memory` elements: `blocks`, each the indices before the last two axes and its `rows` of
 * cells `{number, index, position}`, and `lines` of memory of `width` cells each, a line `{first, gap}` after `gap` elements that are
 * left out. `tail` elements follow the last line; `hidden` cells lie in lines that there was no room for.
 */
export function excerptOf(view, memory, width) {
  const tried = CHOICES.map((most) => {
    const shape = drawnShape(view.shape, most);
    const drawn = cellsOf(view, shape);
    return { shape, ...drawn, lines: linesOf(drawn.cells, memory, width) };
  });
  const fits = ({ lines }) => memory <= LINES * width || lines.length <= FEW_LINES;
  const { shape, blocks, cells, lines } = tried.find(fits) ?? tried.at(-1);
  const last = lines.at(-1);
  return {
    shape,
    whole: shape.every((extent, axis) => extent === view.shape[axis]),
    blocks,
    cells,
    lines,
    width,
    memory,
    tail: last ? Math.max(memory - last.first - width, 0) : memory,
    hidden: cells.filter(({ position }) => !lines.some(({ first }) => first <= position && position < first + width)).length,
  };
}

/** The cells of the first indices of a view, and the blocks that they are drawn in. */
function cellsOf(view, shape) {
  const rank = shape.length;
  const [rows, columns] = [rank > 1 ? shape[rank - 2] : 1, rank > 0 ? shape[rank - 1] : 1];
  const cells = [];
  const blocks = [];
  for (const outer of indices(shape.slice(0, Math.max(rank - 2, 0)))) {
    const block = { outer, rows: [] };
    for (let row = 0; row < rows; row += 1) {
      block.rows.push([]);
      for (let column = 0; column < columns; column += 1) {
        const index = [...outer, ...(rank > 1 ? [row] : []), ...(rank > 0 ? [column] : [])];
        const cell = { number: cells.length, index, position: positionOf(view, index) };
        cells.push(cell);
        block.rows[row].push(cell);
      }
    }
    blocks.push(block);
  }
  return { blocks, cells };
}

/** All lines of a small memory; of a large one those that are reached, each from a position that is. */
function linesOf(cells, memory, width) {
  const firsts = [];
  if (memory <= LINES * width) {
    for (let first = 0; first < memory; first += width) firsts.push(first);
  } else {
    for (const position of cells.map((cell) => cell.position).sort((a, b) => a - b)) {
      if (firsts.length === 0 || position >= firsts.at(-1) + width) firsts.push(position);
    }
  }
  return firsts.slice(0, LINES).map((first, i) => ({ first, gap: first - (i === 0 ? 0 : firsts[i - 1] + width) }));
}

/** Every index of a shape, in C order. */
function* indices(shape) {
  if (shape.length === 0) {
    yield [];
    return;
  }
  for (let first = 0; first < shape[0]; first += 1) {
    for (const rest of indices(shape.slice(1))) yield [first, ...rest];
  }
}

/** The cells of a line of memory: whole rows of the tensor where they are short. */
export const lineWidth = (shape, most) => (shape.at(-1) >= 4 && shape.at(-1) <= most ? shape.at(-1) : most);

/** How a position comes about, in words: `offset 3 + 2·4 − 1·1 = 10`. */
export function sumOf({ strides, offset }, index) {
  const terms = index.map((i, axis) => ` ${strides[axis] < 0 ? '−' : '+'} ${i}·${Math.abs(strides[axis])}`);
  return `${offset}${terms.join('')} = ${positionOf({ strides, offset }, index)}`;
}
