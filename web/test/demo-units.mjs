// The demo's parts that need no browser: files, the reference, values, chains, excerpts.
//
//   node --test test/demo-units.mjs

import assert from 'node:assert/strict';
import test from 'node:test';
import { axisMoves, placeOf, repeatStep, stepsOf, viewMoves } from '../demo/src/chain.js';
import { drawnShape, excerptOf, lineWidth, sumOf } from '../demo/src/excerpt.js';
import { NpyError, npyHas, readNpy, writeNpy } from '../demo/src/npy.js';
import { pictureShape } from '../demo/src/picture.js';
import { copyElements, firstDifference, indexOf, positionOf, positions } from '../demo/src/reference.js';
import { textOf } from '../demo/src/values.js';

/** A file with a header as NumPy writes it, which is padded to `start` bytes. */
function npy(header, elements, { major = 1, start = 128 } = {}) {
  const prefix = major === 1 ? 10 : 12;
  const file = new Uint8Array(start + elements.length);
  file.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, major, 0]);
  new DataView(file.buffer)[major === 1 ? 'setUint16' : 'setUint32'](8, start - prefix, true);
  file.set(new TextEncoder().encode(header.padEnd(start - prefix - 1) + '\n'), prefix);
  file.set(elements, start);
  return file;
}
const described = (descr, shape, order = 'False') => `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }`;
const refused = (file, words) => assert.throws(() => readNpy(file), (error) => error instanceof NpyError && words.test(error.message));

test('a file of each version is read', () => {
  for (const major of [1, 2, 3]) {
    const { dtype, shape, strides, bytes } = readNpy(npy(described('<u2', '(1, 2)'), [1, 2, 3, 4], { major }));
    assert.deepEqual([dtype, shape, strides, [...bytes]], ['uint16', [1, 2], undefined, [1, 2, 3, 4]]);
  }
});

test('shapes, orders of bytes and orders of axes', () => {
  assert.deepEqual(readNpy(npy(described('|u1', '()'), [7])).shape, []);
  assert.deepEqual(readNpy(npy(described('|u1', '(3,)'), [7, 8, 9])).shape, [3]);
  assert.deepEqual([...readNpy(npy(described('>i2', '(2,)'), [1, 2, 3, 4])).bytes], [2, 1, 4, 3]);
  // The two numbers of a complex one are swapped each by itself.
  assert.deepEqual([...readNpy(npy(described('>c8', '(1,)'), [1, 2, 3, 4, 5, 6, 7, 8])).bytes], [4, 3, 2, 1, 8, 7, 6, 5]);
  assert.deepEqual(readNpy(npy(described('|u1', '(2, 3, 4)', 'True'), Array(24).fill(0))).strides, [1, 2, 6]);
  assert.deepEqual(readNpy(npy(described('|b1', '(0, 3)'), [])).shape, [0, 3]);
});

test('files that are none, or of elements without a width, are refused in words', () => {
  const good = npy(described('|u1', '(3,)'), [7, 8, 9]);
  refused(new Uint8Array(0), /starts? with/);
  refused(good.slice(1), /starts? with/);
  refused(good.map((byte, i) => (i === 6 ? 9 : byte)), /version 9/);
  refused(good.slice(0, 9), /header/);
  refused(good.slice(0, 60), /header/);
  refused(good.slice(0, -1), /wants 3 bytes .* has 2/);
  refused(npy(described('|O', '(1,)'), [0]), /\|O/);
  refused(npy(described('<U3', '(1,)'), [0]), /<U3/);
  refused(npy(described('?u1', '(1,)'), [0]), /\?u1/);
  refused(npy("{'descr': [('a', '<u1')], 'fortran_order': False, 'shape': (1,), }", [0]), /structured/);
  refused(npy("{'descr': '<u1', 'shape': (1,), }", [0]), /lacks/);
  refused(npy(described('|u1', '(-1,)'), [0]), /no shape/);
  refused(npy(described('<u8', `(${2 ** 52},)`), []), /more elements/);
});

test('what is written is read back, and starts at a multiple of 64 bytes', () => {
  for (const [dtype, shape, size] of [['uint8', [3], 3], ['float32', [2, 1, 2], 16], ['complex128', [], 16], ['bool', [0], 0]]) {
    const bytes = Uint8Array.from({ length: size }, (_, i) => i + 1);
    const file = writeNpy({ dtype, shape, bytes });
    assert.equal((file.length - size) % 64, 0);
    assert.deepEqual(readNpy(file), { dtype, shape, strides: undefined, bytes });
  }
  assert.throws(() => writeNpy({ dtype: 'uint4', shape: [2], bytes: new Uint8Array(1) }), NpyError);
  assert.deepEqual([npyHas('float16'), npyHas('bfloat16')], [true, false]);
});

test('the positions of a view are those of its formula', () => {
  const view = { shape: [2, 3, 2], strides: [-6, 0, 5], offset: 9, bits: 8 };
  const wanted = [];
  for (let i = 0; i < 2; i += 1) for (let j = 0; j < 3; j += 1) for (let k = 0; k < 2; k += 1) wanted.push(9 - 6 * i + 5 * k);
  assert.deepEqual([...positions(view, 0, 12)], wanted);
  assert.deepEqual([...positions(view, 5, 8)], wanted.slice(5, 8));
  assert.deepEqual([...positions({ shape: [], strides: [], offset: 4 }, 0, 1)], [4]);
  assert.deepEqual(indexOf([2, 3, 2], 11), [1, 2, 1]);
  assert.equal(positionOf(view, [1, 2, 1]), 8);
});

/** Bits as a text, the lowest first, which knows no bytes. */
const bitText = (bytes) => [...bytes].map((byte) => [...byte.toString(2).padStart(8, '0')].reverse().join('')).join('');

test('the reference moves bits of every width', () => {
  for (const bits of [1, 2, 3, 4, 6, 7, 8, 12, 16, 24, 32, 96, 128]) {
    const view = { bits, shape: [3, 4], strides: [1, -3], offset: 9, size: 12 };
    const src = Uint8Array.from({ length: Math.ceil((12 * bits) / 8) }, (_, i) => (i * 151 + 77) % 256);
    const text = bitText(src);
    let wanted = '';
    for (let i = 0; i < 3; i += 1) for (let j = 0; j < 4; j += 1) wanted += text.slice((9 + i - 3 * j) * bits, (10 + i - 3 * j) * bits);
    const dst = new Uint8Array(src.length);
    copyElements(src, view, dst, 0, 5);
    copyElements(src, view, dst, 5, 12);
    assert.equal(bitText(dst).slice(0, 12 * bits), wanted, `${bits} bits`);
    assert.equal(firstDifference(dst, dst.slice(), bits, 12), -1);
  }
});

test('a wrong layout is noticed, at its first wrong element', () => {
  const src = Uint8Array.from({ length: 12 }, (_, i) => i);
  const made = (strides) => {
    const dst = new Uint8Array(12);
    copyElements(src, { bits: 8, shape: [3, 4], strides, offset: 0 }, dst, 0, 12);
    return dst;
  };
  assert.equal(firstDifference(made([4, 1]), made([4, 1]), 8, 12), -1);
  assert.equal(firstDifference(made([4, 1]), made([1, 3]), 8, 12), 1);
});

test('each wrong bit is noticed, and bits past the last element are not', () => {
  for (const bits of [1, 3, 4, 12, 32]) {
    const count = 5;
    const wanted = new Uint8Array(Math.ceil((bits * count) / 8));
    for (let bit = 0; bit < wanted.length * 8; bit += 1) {
      const found = wanted.slice();
      found[bit >> 3] ^= 1 << (bit & 7);
      const number = Math.floor(bit / bits);
      assert.equal(firstDifference(found, wanted, bits, count), number < count ? number : -1, `bit ${bit} of ${bits}-bit elements`);
    }
  }
});

test('elements are written as what they are', () => {
  const text = (dtype, bits, ...bytes) => textOf({ dtype, bits, bytes: Uint8Array.from(bytes) }, 0);
  assert.equal(text('bool', 8, 1), 'true');
  assert.equal(text('int8', 8, 255), '-1');
  assert.equal(text('uint64', 64, 255, 255, 255, 255, 255, 255, 255, 255), '18446744073709551615');
  assert.equal(text('float16', 16, 0, 0x3e), '1.5');
  assert.equal(text('float16', 16, 1, 0), '5.9605e-8');
  assert.equal(text('float16', 16, 0, 0xfc), '-Infinity');
  assert.equal(text('bfloat16', 16, 0xc0, 0x3f), '1.5');
  assert.equal(text('float32', 32, 0, 0, 0x20, 0xc0), '-2.5');
  assert.equal(text('complex64', 64, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0), '1−2i');
  assert.equal(text('float8_e4m3', 8, 0xab), '0xab');
  assert.equal(text('bits(12)', 12, 0x34, 0x12), '0x234');
  assert.equal(textOf({ dtype: 'int4', bits: 4, bytes: Uint8Array.of(0xf3) }, 1), '-1');
  assert.equal(textOf({ dtype: 'uint4', bits: 4, bytes: Uint8Array.of(0xf3) }, 0), '3');
});

test('a chain is cut where no bracket is open', () => {
  const text = '[2:5, ::-1].T.reshape((2,-1)) [0].as_strided((3,2),(1,3),0)';
  const steps = ['[2:5, ::-1]', '.T', '.reshape((2,-1))', '[0]', '.as_strided((3,2),(1,3),0)'];
  assert.deepEqual(stepsOf(text), steps);
  assert.deepEqual(stepsOf(' '), []);
  assert.deepEqual(stepsOf('[...].flip(0)'), ['[...]', '.flip(0)']);
});

test('the place of an error is counted in letters', () => {
  assert.equal(placeOf('[0:2', 'byte 4: expected `]`'), 4);
  assert.equal(placeOf('…é.T', 'byte 5: expected `[` or `.`'), 2);
  assert.equal(placeOf('.T', 'the view needs the word up to byte 4: none'), undefined);
});

test('moves fit their axis', () => {
  assert.deepEqual(axisMoves(1, 9).map(({ step }) => step), ['.flip(1)', '[:, ::2]', '[:, 2:7]', '.window(1,3)', '[:, 0]']);
  assert.deepEqual(axisMoves(0, 2).map(({ step }) => step), ['.flip(0)', '[::2]', '.window(0,2)', '[0]']);
  assert.deepEqual(axisMoves(0, 0).map(({ step }) => step), ['.flip(0)']);
  assert.deepEqual(axisMoves(0, 1).map(({ label }) => label), ['flip', 'repeat ×4', 'squeeze', 'first']);
  assert.equal(repeatStep([2, 1, 3], 1, 4), '.broadcast(2,4,3)');
  const whole = (...from) => viewMoves(...from).map(({ step }) => step);
  assert.deepEqual(whole([2, 3, 4], 8), ['.T', '.permute(2,0,1)', '.permute(1,2,0)', '.swap(0,1)', '.reshape(-1)', '.unsqueeze(0)', '.bitcast(uint4)', '.bitcast(uint32)']);
  assert.deepEqual(whole([], 32), ['.unsqueeze(0)', '.bitcast(uint16)']);
});

test('an excerpt is small, true, and says what it leaves out', () => {
  assert.deepEqual(drawnShape([6, 8]), [6, 8]);
  assert.deepEqual(drawnShape([300, 451, 3]), [3, 6, 3]);
  assert.deepEqual(drawnShape([5, 4, 300, 400]), [1, 1, 6, 8]);
  assert.deepEqual(drawnShape([]), []);
  assert.deepEqual(drawnShape([3, 0]), [3, 0]);
  assert.equal(excerptOf({ shape: [3, 0], strides: [0, 0], offset: 0 }, 0, 12).cells.length, 0);
  const view = { shape: [451, 300, 3], strides: [3, -1353, 1], offset: 404547 };
  const large = excerptOf(view, 405900, 12);
  assert.equal(large.whole, false);
  assert.equal(large.cells.length, 54);
  for (const { index, position } of large.cells) assert.equal(position, 404547 + 3 * index[0] - 1353 * index[1] + index[2]);
  assert.deepEqual(large.cells.map(({ number }) => number), [...Array(54).keys()]);
  // Every element of memory is drawn or counted.
  const drawn = large.lines.reduce((sum, { gap }) => sum + gap + 12, 0);
  assert.equal(drawn + large.tail, 405900);
  assert.equal(large.hidden, 0);
  // Where elements lie far apart, fewer are drawn: four of rows and columns, and so of all three planes.
  const spread = excerptOf({ shape: [3, 30, 30], strides: [1, 2706, 9], offset: 81570 }, 405900, 12);
  assert.deepEqual([spread.shape, spread.lines.length, spread.hidden], [[3, 4, 4], 8, 0]);
  const far = excerptOf({ shape: [8, 8], strides: [8000, 1000], offset: 0 }, 64000, 12);
  assert.deepEqual([far.shape, far.whole, far.lines.length, far.hidden], [[2, 3], false, 6, 0]);
  const small = excerptOf({ shape: [2, 2], strides: [0, 2], offset: 1 }, 50, 12);
  assert.deepEqual([small.whole, small.lines.map(({ first }) => first), small.tail], [true, [0, 12, 24, 36, 48], 0]);
  assert.deepEqual(lineWidth([6, 8], 12), 8);
  assert.deepEqual([lineWidth([6, 3], 12), lineWidth([6, 40], 12), lineWidth([6, 10], 8), lineWidth([], 8)], [12, 12, 8, 8]);
  assert.equal(sumOf(view, [1, 2, 0]), '404547 + 1·3 − 2·1353 + 0·1 = 401844');
});

test('a picture has rows, columns, and planes or colours', () => {
  const form = (dtype, ...shape) => pictureShape({ dtype, shape });
  assert.deepEqual(form('uint8', 20, 30, 3), { planes: 1, height: 20, width: 30, channels: 3 });
  assert.deepEqual(form('uint8', 3, 20, 30), { planes: 3, height: 20, width: 30, channels: 1 });
  assert.deepEqual(form('uint8', 2, 20, 30, 4), { planes: 2, height: 20, width: 30, channels: 4 });
  assert.deepEqual(form('float32', 20, 30), { planes: 1, height: 20, width: 30, channels: 1 });
  for (const none of [form('uint8', 20), form('int32', 15, 80), form('complex64', 20, 30), form('uint8', 500, 20, 30), form('uint8', 0, 20, 30)]) assert.equal(none, undefined);
});
