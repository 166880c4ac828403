// Elements and numbers, written.

export const byId = (id) => document.getElementById(id);

const SVG = 'http://www.w3.org/2000/svg';

function made(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** An element with attributes and children. */
export const element = (tag, attributes = {}, ...children) => made(document.createElement(tag), attributes, children);

/** An element of a drawing. */
export const svg = (tag, attributes = {}, ...children) => made(document.createElementNS(SVG, tag), attributes, children);

/** A button that does something; `key` finds it again once it was drawn anew. */
export function button(label, { key, title, name }, action) {
  const node = element('button', { type: 'button', title, 'aria-label': name, 'data-key': key }, label);
  node.addEventListener('click', action);
  return node;
}

/** Draws part of the page anew; the focus stays on the button with the same key, or goes to `refuge` if there is none any more. */
export function keepingFocus(refuge, draw) {
  const { key } = document.activeElement?.dataset ?? {};
  draw();
  if (key === undefined || document.activeElement?.dataset.key === key) return;
  (document.querySelector(`[data-key="${CSS.escape(key)}"]`) ?? refuge).focus({ preventScroll: true });
}

export const count = (number) => number.toLocaleString('en');

/** A shape as NumPy writes it. */
export const tuple = (numbers) => (numbers.length === 1 ? `(${numbers[0]},)` : `(${numbers.join(', ')})`);

export const bytesInWords = (bytes) => `${count(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`;

/** A time in milliseconds with three digits, in its unit. */
export function timeInWords(ms) {
  const [value, unit] = ms >= 1000 ? [ms / 1000, 's'] : ms >= 1 ? [ms, 'ms'] : [ms * 1000, 'µs'];
  return `${Number(value.toPrecision(3))} ${unit}`;
}
