// The text of a chain of moves: its steps, the place of an error in it, and the moves that a view allows.

/** The steps of a chain, as texts that make the chain up again when joined: `[…]` or `.word(…)`, cut where no bracket is open. */
export function stepsOf(text) {
  const steps = [];
  let depth = 0;
  for (const letter of text) {
    const starts = depth === 0 && (letter === '[' || letter === '.');
    if (starts || steps.length === 0) steps.push('');
    steps[steps.length - 1] += letter;
    if (letter === '[' || letter === '(') depth += 1;
    if (letter === ']' || letter === ')') depth = Math.max(depth - 1, 0);
  }
  return steps.map((step) => step.trim()).filter((step) => step !== '');
}

/** The place in a text, in JavaScript's units, that a message which starts with `byte N:` means; undefined where it names none. */
export function placeOf(text, message) {
  const found = /^byte (\d+): /.exec(message);
  if (!found) return undefined;
  const bytes = new TextEncoder().encode(text).subarray(0, Number(found[1]));
  return new TextDecoder().decode(bytes).length;
}

/** An index that has `item` at one axis, and everything of the axes before it. */
const at = (axis, item) => `[${':, '.repeat(axis)}${item}]`;

/** The moves offered for one axis of `extent` elements: `{label, step, title}`. */
export function axisMoves(axis, extent) {
  const moves = [{ label: 'flip', step: `.flip(${axis})`, title: 'backwards' }];
  if (extent > 1) {
    const quarter = Math.floor(extent / 4);
    moves.push({ label: 'every 2nd', step: at(axis, '::2'), title: 'every second element' });
    if (quarter > 0) moves.push({ label: 'middle', step: at(axis, `${quarter}:${extent - quarter}`), title: 'the middle half' });
    moves.push(
      { label: 'windows', step: `.window(${axis},${Math.min(3, extent)})`, title: 'sliding windows of up to three, their elements on a new last axis' },
    );
  } else if (extent === 1) {
    moves.push(
      { label: 'repeat ×4', step: null, repeat: 4, title: 'the one element four times, by a stride of 0' },
      { label: 'squeeze', step: `.squeeze(${axis})`, title: 'without this axis' },
    );
  }
  if (extent > 0) moves.push({ label: 'first', step: at(axis, '0'), title: 'the first element alone, without the axis' });
  return moves;
}

/** The step that repeats an axis of one element `times` times. */
export const repeatStep = (shape, axis, times) => `.broadcast(${shape.map((extent, i) => (i === axis ? times : extent)).join(',')})`;

/** The widths that elements are offered to be read as, by their bits. */
const WORDS = { 4: 'uint4', 8: 'uint8', 16: 'uint16', 32: 'uint32', 64: 'uint64' };

/** The moves offered for a whole view of `shape` and elements of `bits` bits. */
export function viewMoves(shape, bits) {
  const rank = shape.length;
  const moves = [];
  if (rank > 1) moves.push({ label: '.T', step: '.T', title: 'all axes in reverse' });
  if (rank > 2) {
    const last = [rank - 1, ...Array(rank - 1).keys()].join(',');
    const first = [...Array(rank - 1).keys()].map((axis) => axis + 1).concat(0).join(',');
    moves.push(
      { label: 'last axis first', step: `.permute(${last})`, title: `.permute(${last}), as from HWC to CHW` },
      { label: 'first axis last', step: `.permute(${first})`, title: `.permute(${first}), as from CHW to HWC` },
    );
  }
  if (rank > 1) moves.push({ label: 'swap first two', step: '.swap(0,1)', title: 'rows and columns of a picture in each other’s place' });
  if (rank > 1) moves.push({ label: 'one axis', step: '.reshape(-1)', title: 'the same elements along one axis, where strides express that' });
  moves.push({ label: 'new axis', step: '.unsqueeze(0)', title: 'an axis of one element before the first' });
  for (const [width, name] of Object.entries(WORDS)) {
    const [to, last] = [Number(width), shape.at(-1)];
    if (to * 2 === bits || (to === bits * 2 && last === 2) || (to === bits * 4 && last === 4)) {
      moves.push({ label: `as ${name}`, step: `.bitcast(${name})`, title: 'the same bits as elements of another width' });
    }
  }
  return moves;
}
