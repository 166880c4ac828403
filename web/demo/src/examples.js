// What the page can show at once: tensors, each with a chain of moves that suits it.
import { tensorOf } from './picture.js';

/** A tensor of `count` elements that `write` puts into a `DataView`, by their numbers. */
function filled(name, dtype, shape, bytesEach, write) {
  const bytes = new Uint8Array(shape.reduce((product, extent) => product * extent, 1) * bytesEach);
  const data = new DataView(bytes.buffer);
  for (let number = 0; number < bytes.length / bytesEach; number += 1) write(data, number);
  return { name, dtype, shape, bytes };
}

export const EXAMPLES = [
  {
    label: 'A photograph, turned',
    view: '.swap(0,1)[:, ::-1]',
    load: async () => tensorOf(await (await fetch(new URL('../photo.png', import.meta.url))).blob(), 'photo.png'),
  },
  {
    label: 'A photograph as planes',
    view: '.permute(2,0,1)',
    load: async () => tensorOf(await (await fetch(new URL('../photo.png', import.meta.url))).blob(), 'photo.png'),
  },
  {
    label: '48 numbers, transposed',
    view: '.T',
    load: () => filled('48 numbers', 'int32', [6, 8], 4, (data, i) => data.setInt32(4 * i, i, true)),
  },
  {
    label: '48 numbers, in windows',
    view: '[0].window(0,3)',
    load: () => filled('48 numbers', 'int32', [6, 8], 4, (data, i) => data.setInt32(4 * i, i, true)),
  },
  {
    label: '4-bit weights, repacked',
    view: '.reshape(8,4,2).permute(1,0,2)',
    load: () => {
      // Two to a byte, the lower bits first.
      const packed = filled('4-bit weights', 'uint8', [8, 4], 1, (data, i) => data.setUint8(i, ((2 * i) % 16) | ((2 * i + 1) % 16 << 4)));
      return { ...packed, dtype: 'uint4', shape: [8, 8] };
    },
  },
  {
    label: 'A matrix of 4 MiB, transposed',
    view: '.T',
    load: () => filled('waves', 'float32', [1024, 1024], 4, (data, i) => {
      const [y, x] = [Math.floor(i / 1024), i % 1024];
      data.setFloat32(4 * i, Math.sin(x / 40) * Math.cos((y + x / 3) / 90), true);
    }),
  },
];
