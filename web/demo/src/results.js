// What came out: the picture or the values, the verdict of the reference, the time.
import { npyHas, writeNpy } from './npy.js';
import { byId, bytesInWords, count, element, timeInWords, tuple } from './page.js';
import { draw } from './picture.js';
import { copyElements, firstDifference, indexOf } from './reference.js';
import { textOf } from './values.js';

/** The most rows and columns of values that are shown. */
const [ROWS, COLUMNS] = [12, 12];
/** The elements that the reference moves before it lets the page breathe. */
const SLICE = 1 << 18;

/** Shows a tensor in C order as a picture, or as its first values, in the elements named `name-picture`, `name-values`. */
export function showTensor(name, tensor) {
  const [canvas, values] = [byId(`${name}-picture`), byId(`${name}-values`)];
  const seen = draw(canvas, tensor);
  canvas.hidden = seen === undefined;
  values.hidden = seen !== undefined;
  if (seen === undefined) values.replaceChildren(valuesTable(tensor));
  else canvas.setAttribute('aria-label', `The ${name} as a picture: ${seen}`);
  return seen;
}

function valuesTable(tensor) {
  const { shape } = tensor;
  const columns = shape.at(-1) ?? 1;
  const all = shape.reduce((product, extent) => product * extent, 1);
  if (all === 0) return element('p', {}, 'No elements.');
  const rows = [];
  for (let row = 0; row < Math.min(all / columns, ROWS); row += 1) {
    const index = indexOf(shape.slice(0, -1), row);
    const cells = [];
    for (let column = 0; column < Math.min(columns, COLUMNS); column += 1) {
      cells.push(element('td', {}, textOf(tensor, row * columns + column)));
    }
    if (columns > COLUMNS) cells.push(element('td', {}, '…'));
    rows.push(element('tr', {}, element('th', { scope: 'row' }, shape.length > 1 ? `[${index.join(', ')}]` : ''), ...cells));
  }
  const more = all / columns > ROWS ? [element('caption', {}, `The first ${ROWS} of ${count(all / columns)} rows`)] : [];
  return element('table', { class: 'values' }, ...more, element('tbody', {}, ...rows));
}

/** What the elements of `view` are, side by side, by the reference; undefined once `wanted` is false. */
export async function referenceOf(bytes, view, wanted) {
  const result = new Uint8Array(view.byteLength);
  for (let from = 0; from < view.size; from += SLICE) {
    copyElements(bytes, view, result, from, Math.min(from + SLICE, view.size));
    await new Promise((resolve) => {
      setTimeout(resolve);
    });
    if (!wanted()) return undefined;
  }
  return result;
}

/** Compares every bit with the reference's, and says what was found. */
export function judge(found, wanted, view) {
  const number = firstDifference(found, wanted, view.bits, view.size);
  if (number < 0) {
    const checked = view.size === 0 ? 'there is no element to copy' : `${bytesInWords(view.byteLength)}, every bit as the reference has it, a plain loop on the CPU`;
    verdict('equal', `Equal: ${checked}.`);
    return;
  }
  const [gpu, cpu] = [found, wanted].map((bytes) => textOf({ dtype: view.dtype, bits: view.bits, bytes }, number));
  const index = `[${indexOf(view.shape, number).join(', ')}]`;
  const where = `the first difference is at ${index}, where the GPU wrote ${gpu} and the reference ${cpu}`;
  verdict('different', `Different: ${where}. This is a fault: please report it.`);
}

export function verdict(state, text) {
  const place = byId('verdict');
  place.dataset.state = state;
  place.textContent = text;
}

export const showFacts = (view, seen) => {
  byId('result-facts').textContent = `${view.dtype} ${tuple(view.shape)}, ${bytesInWords(view.byteLength)}${seen ? `; ${seen}` : ''}`;
};

/** Shows the time of the copy beside the native copy's; `software` says that no GPU is at work. */
export function showTime(view, { ours, native, copies, rounds, clock }, software) {
  const longest = Math.max(ours, native);
  const bar = (name, ms) => {
    const fill = element('div', { class: 'bar' });
    fill.style.width = `${(ms / longest) * 100}%`;
    const rate = (2 * view.byteLength) / ms / 1e6;
    return [element('dt', {}, name), element('dd', {}, fill, `${timeInWords(ms)}, ${Number(rate.toPrecision(3))} GB/s`)];
  };
  byId('time').hidden = false;
  byId('bars').replaceChildren(...bar('restride', ours), ...bar('native copy of as many bytes', native));
  byId('time-words').textContent = ours >= native
    ? `${Number((ours / native).toPrecision(2))} times the native copy’s time: ${Number(((native / ours) * 100).toPrecision(2))} % of its speed.`
    : `${Number((native / ours).toPrecision(2))} times as fast as the native copy.`;
  const by = clock === 'gpu'
    ? 'the GPU’s timestamps, before the first copy and after the last'
    : 'the page’s clock, from submission until the queue is done';
  const many = copies === 1 ? 'one copy' : `${copies} copies in one submission`;
  byId('time-how').textContent = `Each is the best of ${rounds} samples, taken in turn, of ${many}, warm, by ${by}. Bytes read and bytes written both count. `
    + 'The native copy is copyBufferToBuffer of the result: what moving so many bytes costs without giving them a new order.'
    + (software ? ' On a software adapter that is one memcpy, and the CPU runs each instruction of a shader too: a GPU will differ.' : '');
}

/** Offers the result as a file; types that NumPy lacks cannot be saved so. */
export function offer(tensor) {
  const possible = tensor !== undefined && npyHas(tensor.dtype);
  byId('save').setAttribute('aria-disabled', String(!possible));
  byId('save-hint').textContent = tensor && !possible ? `NumPy has no type for ${tensor.dtype}.` : '';
}

export function save(tensor) {
  if (!tensor || !npyHas(tensor.dtype)) return;
  const url = URL.createObjectURL(new Blob([writeNpy(tensor)], { type: 'application/octet-stream' }));
  element('a', { href: url, download: 'result.npy' }).click();
  // The download has begun by then, and holds the bytes itself.
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
