// The chain of moves: the field, its error, the steps so far, and the moves that the view allows next.
import { axisMoves, placeOf, repeatStep, stepsOf, viewMoves } from './chain.js';
import { button, byId, count, element, keepingFocus, tuple } from './page.js';

/** The part of the page that a chain is built in; `change` is called after each change of its text. */
export class Moves {
  #field = byId('view');
  #change;

  constructor(change) {
    this.#change = change;
    this.#field.addEventListener('input', change);
    byId('undo').addEventListener('click', () => this.#set(stepsOf(this.text).slice(0, -1).join('')));
    byId('clear').addEventListener('click', () => this.#set(''));
  }

  get text() {
    return this.#field.value;
  }

  /** Puts another chain in its place, without calling `change`. */
  start(text) {
    this.#field.value = text;
  }

  #set(text) {
    this.#field.value = text;
    this.#change();
  }

  /** Marks the place of an error in the text; none is marked without one. */
  fail(error) {
    const place = byId('view-error');
    place.hidden = !error;
    this.#field.setAttribute('aria-invalid', error ? 'true' : 'false');
    if (!error) return;
    const { text } = this;
    const at = placeOf(text, error.message);
    const message = error.message.replace(/^byte \d+: /, '');
    if (at === undefined) {
      place.replaceChildren(element('p', {}, message));
      return;
    }
    // Past the end there is no letter to be marked.
    const [marked = ' ', ...rest] = text.slice(at);
    const pre = element('pre', { 'aria-hidden': 'true' }, text.slice(0, at), element('mark', {}, marked), rest.join(''));
    place.replaceChildren(pre, element('p', {}, `At ${at === text.length ? 'the end' : `character ${at + 1}`}: ${message}`));
  }

  /** Draws the steps and the next moves of `view`, which the text makes of `base`. */
  show(base, view) {
    keepingFocus(this.#field, () => {
      const steps = stepsOf(this.text);
      this.#showChain(steps, base);
      this.#showAxes(view);
      const add = ({ label, step, title }) => button(label, { key: `whole ${label}`, title: `${step}: ${title}` }, () => this.#append(step));
      byId('whole').replaceChildren(...viewMoves(view.shape, view.bits).map(add));
      for (const name of ['undo', 'clear']) byId(name).setAttribute('aria-disabled', String(steps.length === 0));
    });
  }

  #append(step) {
    this.#set(this.text + step);
  }

  #showChain(steps, base) {
    const items = steps.map((step, i) => {
      const shape = shapeAfter(base, steps.slice(0, i + 1));
      const remove = button('×', { key: `step ${i}`, name: `Remove ${step}`, title: `Remove ${step}` }, () => {
        this.#set(steps.filter((_, k) => k !== i).join(''));
      });
      return element('li', {}, element('code', {}, step), element('span', {}, shape), remove);
    });
    const first = element('li', {}, element('span', {}, `${base.dtype} ${tuple(base.shape)}`));
    byId('chain').replaceChildren(first, ...items);
  }

  #showAxes({ shape, strides }) {
    const rows = shape.map((extent, axis) => {
      const moves = axisMoves(axis, extent).map(({ label, step, repeat, title }) => {
        const made = step ?? repeatStep(shape, axis, repeat);
        return button(label, { key: `axis ${axis} ${label}`, name: `axis ${axis}: ${label}`, title: `${made}: ${title}` }, () => this.#append(made));
      });
      return element(
        'tr',
        {},
        element('th', { scope: 'row' }, String(axis)),
        element('td', {}, count(extent)),
        element('td', {}, count(strides[axis])),
        element('td', { class: 'row' }, ...moves),
      );
    });
    const none = element('tr', {}, element('td', { colspan: 4 }, 'None: a single element.'));
    byId('axes').tBodies[0].replaceChildren(...(rows.length > 0 ? rows : [none]));
  }
}

/** The shape that some steps leave, and the dtype where they change it. */
function shapeAfter(base, steps) {
  const view = base.apply(steps.join(''));
  return view.dtype === base.dtype ? tuple(view.shape) : `${view.dtype} ${tuple(view.shape)}`;
}
