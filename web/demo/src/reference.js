// What a copy means, in plain JavaScript that shares nothing with the planner or the shaders: for each index, move bits.

/** The index of the element with a number in C order. */
export function indexOf(shape, number) {
  const index = new Array(shape.length);
  let rest = number;
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    index[axis] = rest % shape[axis];
    rest = Math.floor(rest / shape[axis]);
  }
  return index;
}

/** The position of an index: `offset + Σ index·stride`, in elements. */
export const positionOf = ({ strides, offset }, index) => index.reduce((position, i, axis) => position + i * strides[axis], offset);

/** The positions of the elements with the numbers `from` up to `to` in C order. */
export function* positions(view, from, to) {
  const { shape, strides } = view;
  const index = indexOf(shape, from);
  let position = positionOf(view, index);
  for (let number = from; number < to; number += 1) {
    yield position;
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      index[axis] += 1;
      position += strides[axis];
      if (index[axis] < shape[axis]) break;
      position -= index[axis] * strides[axis];
      index[axis] = 0;
    }
  }
}

/** Copies the elements of `view` from number `from` up to `to` to their places in C order: of `src`, into `dst`, bit for bit. */
export function copyElements(src, view, dst, from, to) {
  const { bits } = view;
  let number = from;
  for (const position of positions(view, from, to)) {
    if (bits % 8 === 0) {
      const bytes = bits / 8;
      for (let i = 0; i < bytes; i += 1) dst[number * bytes + i] = src[position * bytes + i];
    } else {
      for (let i = 0; i < bits; i += 1) copyBit(src, position * bits + i, dst, number * bits + i);
    }
    number += 1;
  }
}

function copyBit(src, from, dst, to) {
  const bit = (src[Math.floor(from / 8)] >> from % 8) & 1;
  const byte = Math.floor(to / 8);
  dst[byte] = (dst[byte] & ~(1 << to % 8)) | (bit << to % 8);
}

/** The number of the first element of `bits` bits that differs between two packed tensors, or -1: every bit of each is compared. */
export function firstDifference(found, wanted, bits, count) {
  const total = count * bits;
  const whole = Math.floor(total / 8);
  for (let at = 0; at < whole; at += 1) {
    if (found[at] !== wanted[at]) return numberOf(at, found[at] ^ wanted[at], bits);
  }
  const last = total % 8 === 0 ? 0 : (found[whole] ^ wanted[whole]) & ((1 << total % 8) - 1);
  return last === 0 ? -1 : numberOf(whole, last, bits);
}

/** The element that the lowest bit of `changed` in byte `at` belongs to. */
const numberOf = (at, changed, bits) => Math.floor((at * 8 + 31 - Math.clz32(changed & -changed)) / bits);
