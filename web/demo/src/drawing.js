// The layout, drawn: the view's indices as tables, the memory that they reach as cells in the same colours.
import { excerptOf, lineWidth, sumOf } from './excerpt.js';
import { count, element, svg, tuple } from './page.js';

/** Sizes in the drawing of memory. */
const [LABEL, CELL, HEIGHT, GAP] = [66, 38, 30, 22];

/** The colours of all indices lie on one arc of the wheel, in order. */
const hueOf = (number, all) => 170 + (all > 1 ? (number / (all - 1)) * 220 : 0);

/**
 * Draws `view` of a source of `memory` elements into the elements of `at`: `indices`, `memory`, `words` and `readout`. `source` is the
 * layout that the view was made from.
 */
export function drawLayout(at, { view, source, memory }) {
  const narrow = at.memory.clientWidth > 0 && at.memory.clientWidth < 480;
  const own = source.dtype === view.dtype ? source.shape : [];
  const excerpt = excerptOf(view, memory, lineWidth(own, narrow ? 8 : 12));
  const { cells } = excerpt;
  at.words.textContent = words(view, excerpt);
  at.readout.textContent = cells.length > 0 ? 'Point at an index, or walk them with the arrow keys.' : 'There is no index.';

  const drawn = cells.map((cell) => indexCell(cell, cells.length));
  at.indices.replaceChildren(...excerpt.blocks.map((block) => table(block, drawn, view)));
  const { drawing, rects } = memoryOf(excerpt);
  at.memory.replaceChildren(drawing);

  const mark = (chosen) => {
    for (const lit of [...at.indices.querySelectorAll('.lit'), ...drawing.querySelectorAll('.lit')]) lit.classList.remove('lit');
    for (const { number, position } of chosen) {
      drawn[number].classList.add('lit');
      rects.get(position)?.classList.add('lit');
    }
  };
  const say = (cell) => {
    mark([cell]);
    const bit = cell.position * view.bits;
    const place = view.bits % 8 === 0 ? `byte ${count(bit / 8)}` : `bit ${bit % 8} of byte ${count(Math.floor(bit / 8))}`;
    at.readout.textContent = `[${cell.index.join(', ')}] reads element ${sumOf(view, cell.index)}, from ${place} on.`;
  };
  drawn.forEach((node, i) => {
    node.addEventListener('pointerenter', () => say(cells[i]));
    node.addEventListener('focus', () => say(cells[i]));
  });
  walk(drawn, excerpt);
  for (const [position, rect] of rects) {
    rect.addEventListener('pointerenter', () => {
      const readers = cells.filter((cell) => cell.position === position);
      mark(readers);
      const list = readers.map(({ index }) => `[${index.join(', ')}]`).join(' and ');
      at.readout.textContent = readers.length > 0 ? `Element ${count(position)} is read by ${list}.` : `Element ${count(position)} is read by none of these.`;
    });
  }
}

function words(view, { whole, cells, shape, hidden }) {
  const layout = `${view.dtype}, shape ${tuple(view.shape)}, strides ${tuple(view.strides)}, offset ${count(view.offset)}, in elements.`;
  if (cells.length === 0) return `${layout} It has no elements.`;
  const part = whole ? 'All indices are drawn' : `An excerpt is drawn: the first ${tuple(shape)} indices`;
  const rest = hidden > 0 ? `; ${hidden} of them lie in memory beyond what is drawn` : '';
  return `${layout} ${part}, numbered in C order; memory has the number of the index that reads it${rest}.`;
}

function indexCell({ number, index, position }, all) {
  const label = `index ${index.join(', ')} reads element ${position}`;
  const node = element('td', { role: 'gridcell', tabindex: number === 0 ? 0 : -1, 'aria-label': label, class: 'cell' }, String(number));
  node.style.setProperty('--hue', hueOf(number, all));
  return node;
}

function table({ outer, rows }, drawn, view) {
  const inner = view.shape.slice(outer.length).map(() => ':');
  const name = `[${[...outer, ...inner].join(', ')}]`;
  const body = rows.map((row) => element('tr', { role: 'row' }, ...row.map(({ number }) => drawn[number])));
  const caption = outer.length > 0 ? [element('caption', {}, element('code', {}, name))] : [];
  return element('table', { role: 'grid', 'aria-label': `Indices ${name}`, class: 'indices' }, ...caption, element('tbody', { role: 'rowgroup' }, ...body));
}

/** One cell is in the order of the Tab key; the arrow keys move on from there, through all blocks. */
function walk(drawn, { blocks }) {
  const rows = blocks.flatMap((block) => block.rows);
  const places = new Map(rows.flatMap((row, y) => row.map(({ number }, x) => [number, [y, x]])));
  drawn.forEach((node, number) => {
    node.addEventListener('keydown', (event) => {
      const [y, x] = places.get(number);
      const next = {
        ArrowLeft: rows[y][x - 1],
        ArrowRight: rows[y][x + 1],
        ArrowUp: rows[y - 1]?.[x],
        ArrowDown: rows[y + 1]?.[x],
        Home: rows[y][0],
        End: rows[y].at(-1),
      }[event.key];
      if (!next) return;
      event.preventDefault();
      node.tabIndex = -1;
      drawn[next.number].tabIndex = 0;
      drawn[next.number].focus();
    });
  });
}

/** The lines of memory, and the cell of each position that is drawn. */
function memoryOf({ lines, width, memory, tail, cells }) {
  const readers = new Map();
  for (const cell of cells) readers.set(cell.position, [...(readers.get(cell.position) ?? []), cell]);
  const rects = new Map();
  const parts = [];
  let y = 0;
  const gap = (elements) => {
    parts.push(svg('text', { x: LABEL, y: y + 15, class: 'gap' }, `⋯ ${count(elements)} more`));
    y += GAP;
  };
  for (const line of lines) {
    if (line.gap > 0) gap(line.gap);
    parts.push(svg('text', { x: LABEL - 8, y: y + 20, class: 'line', 'text-anchor': 'end' }, count(line.first)));
    for (let i = 0; i < width && line.first + i < memory; i += 1) {
      const position = line.first + i;
      const group = memoryCell(readers.get(position) ?? [], cells.length, LABEL + i * CELL, y);
      rects.set(position, group);
      parts.push(group);
    }
    y += HEIGHT;
  }
  if (tail > 0) gap(tail);
  const [w, h] = [LABEL + width * CELL, Math.max(y, 1)];
  const label = `${count(memory)} elements of memory; ${count(readers.size)} of them are read by the indices drawn`;
  const drawing = svg('svg', { viewBox: `0 0 ${w} ${h}`, width: w, height: h, role: 'img', 'aria-label': label }, ...parts);
  return { drawing, rects };
}

function memoryCell(cells, all, x, y) {
  const rect = svg('rect', { x: x + 1, y: y + 1, width: CELL - 2, height: HEIGHT - 2, rx: 3 });
  const group = svg('g', { class: cells.length > 0 ? 'reached' : 'free' }, rect);
  if (cells.length === 0) return group;
  group.style.setProperty('--hue', hueOf(cells[0].number, all));
  const text = cells.length > 1 ? `${cells[0].number} ×${cells.length}` : String(cells[0].number);
  group.append(svg('text', { x: x + CELL / 2, y: y + 19.5, 'text-anchor': 'middle', class: cells.length > 1 ? 'small' : undefined }, text));
  return group;
}
