import { RestrideError, integer, integers, wrongType } from './error.js';

/** More bytes than any position needs: the room of a view that names no buffer. */
const NO_BUFFER_BYTES = 2 ** 53;

/** The numbers of a layout as the planner takes them; without `strides` it is in C order. */
export const layoutNumbers = ({ shape, strides, offset }) => [shape.length, strides ? 1 : 0, offset, ...shape, ...(strides ?? [])];

/**
 * A strided view of a buffer: dtype, shape, strides and offset, counted in elements. It never changes, and no move touches an
 * element: each gives another view of the same buffer. Axes count from the last one where they are negative.
 */
export class View {
  #planner;

  /** `planner`, and the fields of a description that were checked. */
  constructor(planner, { buffer, dtype, bits, shape, strides, offset }) {
    this.#planner = planner;
    this.buffer = buffer;
    this.dtype = dtype;
    /** Bits of one element. */
    this.bits = bits;
    this.shape = Object.freeze(shape);
    this.strides = Object.freeze(strides);
    this.offset = offset;
    Object.freeze(this);
  }

  /** The view that `description` stands for; `name` is what errors call it. */
  static of(planner, description, name) {
    if (description instanceof View) return description;
    if (description === null || typeof description !== 'object') throw wrongType(name, description, 'a view');
    const { buffer, dtype, shape, strides, offset, view = '' } = description;
    if (buffer !== undefined && !isBuffer(buffer)) throw wrongType(`${name}.buffer`, buffer, 'a GPUBuffer');
    if (typeof dtype !== 'string') throw wrongType(`${name}.dtype`, dtype, 'the name of a dtype');
    if (typeof view !== 'string') throw wrongType(`${name}.view`, view, 'the text of a view');
    const layout = {
      shape: integers(shape, `${name}.shape`, 0),
      strides: strides === undefined ? undefined : integers(strides, `${name}.strides`),
      offset: integer(offset ?? 0, `${name}.offset`, 0),
    };
    if (layout.strides && layout.strides.length !== layout.shape.length) {
      const [value, bound] = [layout.strides.length, layout.shape.length];
      throw new RestrideError('StrideCount', `${name}: ${value} strides for a shape of ${bound} axes`, { argument: `${name}.strides`, value, bound });
    }
    return derive(planner, { buffer, dtype, ...layout }, view, name);
  }

  /** The number of elements. */
  get size() {
    return this.shape.reduce((product, extent) => product * extent, 1);
  }

  /** The bytes that the elements take side by side. */
  get byteLength() {
    return Math.ceil((this.size * this.bits) / 8);
  }

  /** The view that a text makes of this one: NumPy's basic indexing and a few words, as in `"[2:5, ::-1].T"`. */
  apply(text) {
    if (typeof text !== 'string') throw wrongType('view', text, 'the text of a view');
    return derive(this.#planner, this, text);
  }

  #word(word, values, argument) {
    const made = `.${word}(${integers(values, argument).join()})`;
    try {
      return this.apply(made);
    } catch (error) {
      throw error instanceof RestrideError ? plainly(error, argument) : error;
    }
  }

  /** The axes in reverse order. */
  transpose() {
    return this.apply('.T');
  }

  /** Axis `i` of the result is this one's axis `axes[i]`. */
  permute(...axes) {
    return this.#word('permute', axes.flat(), 'axes');
  }

  /** Two axes in each other's place. */
  swap(a, b) {
    return this.#word('swap', [a, b], 'axis');
  }

  /** The same elements in C order under another shape, where strides express that; one extent may be -1. */
  reshape(...shape) {
    return this.#word('reshape', shape.flat(), 'shape');
  }

  /** Axes of extent 1 repeated, and new ones before them. */
  broadcast(...shape) {
    return this.#word('broadcast', shape.flat(), 'shape');
  }

  /** An axis backwards. */
  flip(axis) {
    return this.#word('flip', [axis], 'axis');
  }

  /** Elements `start`, `start + step`, … before `stop` of an axis, as in NumPy: bounds outside the axis move to its end. */
  slice(axis, start, stop, step) {
    const bound = (value, name) => (value === undefined || value === null ? '' : integer(value, name));
    return this.#index(axis, `${bound(start, 'start')}:${bound(stop, 'stop')}:${bound(step, 'step')}`);
  }

  /** `length` elements of an axis from `start` on, all of which there must be. */
  narrow(axis, start, length) {
    const at = this.#axis(axis);
    const [from, count, extent] = [integer(start, 'start', 0), integer(length, 'length', 0), this.shape[at]];
    if (from + count > extent) {
      const message = `${count} elements from ${from} by 1 leave axis ${at} of extent ${extent}`;
      throw new RestrideError('RangeOutside', message, { argument: 'start', value: from, bound: extent });
    }
    return this.#index(at, `${from}:${from + count}`);
  }

  /** One element of an axis, which is dropped. */
  select(axis, index) {
    return this.#index(axis, `${integer(index, 'index')}`);
  }

  /** Without every axis of extent 1, or without one that must be such. */
  squeeze(axis) {
    return this.#word('squeeze', axis === undefined ? [] : [axis], 'axis');
  }

  /** With a new axis of extent 1 before `axis`. */
  unsqueeze(axis) {
    return this.#word('unsqueeze', [axis], 'axis');
  }

  /** Windows of `size` elements, `dilation` apart, one every `step` elements of an axis; a last axis counts a window's elements. */
  window(axis, size, step = 1, dilation = 1) {
    return this.#word('window', [axis, size, step, dilation], 'window');
  }

  /** The same bits as elements of another dtype. */
  bitcast(dtype) {
    if (!/^\w+(\(\d+\))?$/.test(dtype)) throw wrongType('dtype', dtype, 'the name of a dtype');
    return this.apply(`.bitcast(${dtype})`);
  }

  /** An axis from either end, from the first. */
  #axis(axis) {
    const [value, rank] = [integer(axis, 'axis'), this.shape.length];
    if (value < -rank || value >= rank) {
      throw new RestrideError('Axis', `axis ${value} is not one of ${rank} axes`, { argument: 'axis', value, bound: rank });
    }
    return value < 0 ? value + rank : value;
  }

  #index(axis, item) {
    const text = `[${':,'.repeat(this.#axis(axis))}${item}]`;
    try {
      return this.apply(text);
    } catch (error) {
      throw error instanceof RestrideError ? plainly(error, 'index') : error;
    }
  }
}

/** A `GPUBuffer`, of this realm or another. */
export const isBuffer = (value) => typeof value?.size === 'number' && typeof value.usage === 'number' && typeof value.destroy === 'function';

function derive(planner, from, text, name) {
  try {
    const numbers = [from.buffer?.size ?? NO_BUFFER_BYTES, ...layoutNumbers(from)];
    const answer = planner.call('derive', numbers, `${from.dtype}\n${text}`);
    const [bits, offset, ...rest] = answer.numbers;
    const rank = rest.length / 2;
    const dtype = new TextDecoder().decode(answer.bytes);
    return new View(planner, { buffer: from.buffer, dtype, bits, offset, shape: rest.slice(0, rank), strides: rest.slice(rank) });
  } catch (error) {
    if (name === undefined || !(error instanceof RestrideError)) throw error;
    const { code, message, argument, value, bound } = error;
    throw new RestrideError(code, `${name}: ${message}`, { argument: argument && `${name}.${argument}`, value, bound });
  }
}

/** The error of a move that was called, not written: without the place in a text that nobody wrote. */
function plainly(error, argument) {
  const message = error.message.replace(/^byte \d+: (\S+: )?/, '');
  const written = error.argument === 'view';
  return new RestrideError(error.code, message, {
    argument: written ? argument : error.argument,
    value: written ? undefined : error.value,
    bound: written ? undefined : error.bound,
  });
}
