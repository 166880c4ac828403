// Pictures as tensors, and tensors as pictures.
import { readNpy } from './npy.js';
import { valuesOf } from './values.js';

/** The least rows and columns of a picture; what is smaller is shown as numbers. */
const MIN_SIDE = 16;
/** A picture of fewer columns is drawn larger. */
const SMALL = 120;
/** The most pixels that a picture is drawn with. */
const MAX_PIXELS = 1 << 24;
/** The most planes that are drawn side by side. */
const MAX_PLANES = 64;

/** The tensor in a file: an `.npy` as it is, anything else as a picture of 8-bit channels in HWC order. */
export async function tensorOf(file, name = file.name) {
  if (/\.npy$/i.test(name)) return { name, ...readNpy(new Uint8Array(await file.arrayBuffer())) };
  let picture;
  try {
    picture = await createImageBitmap(file);
  } catch {
    throw new Error(`${name} is neither an .npy file nor a picture that this browser reads`);
  }
  const [width, height] = [picture.width, picture.height];
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(picture, 0, 0);
  picture.close();
  return { name, ...channels(context.getImageData(0, 0, width, height).data, [height, width]) };
}

/** RGBA pixels as a tensor; three channels where every pixel is opaque. */
function channels(rgba, shape) {
  let opaque = true;
  for (let at = 3; at < rgba.length && opaque; at += 4) opaque = rgba[at] === 255;
  if (!opaque) return { dtype: 'uint8', shape: [...shape, 4], bytes: new Uint8Array(rgba.buffer) };
  const bytes = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4) {
    bytes[to++] = rgba[from];
    bytes[to++] = rgba[from + 1];
    bytes[to++] = rgba[from + 2];
  }
  return { dtype: 'uint8', shape: [...shape, 3], bytes };
}

/**
 * How a tensor in C order is drawn: `{planes, height, width, channels}`, or nothing if it is no picture. The last axis of three or
 * four bytes is colour; the two before it are rows and columns; what is left are planes, side by side.
 */
export function pictureShape({ dtype, shape }) {
  const colour = dtype === 'uint8' && shape.length > 2 && [3, 4].includes(shape.at(-1));
  const extents = colour ? shape.slice(0, -1) : shape;
  if (extents.length < 2 || !/^(bool|bit|u?int\d+|b?float(16|32|64))$/.test(dtype)) return undefined;
  const [height, width] = extents.slice(-2);
  const planes = extents.slice(0, -2).reduce((product, extent) => product * extent, 1);
  const drawn = Math.min(height, width) >= MIN_SIDE && planes >= 1 && planes <= MAX_PLANES && planes * height * width <= MAX_PIXELS;
  return drawn ? { planes, height, width, channels: colour ? shape.at(-1) : 1 } : undefined;
}

/** Draws a tensor in C order into a canvas, and says in words what is seen; nothing if it is no picture. */
export function draw(canvas, tensor) {
  const form = pictureShape(tensor);
  if (!form) return undefined;
  const { planes, height, width, channels: depth } = form;
  // Planes as near to a square as they come, with a gap between them.
  const columns = Math.min(planes, Math.max(1, Math.round(Math.sqrt((planes * height) / width))));
  const gap = planes > 1 ? 4 : 0;
  const step = [height + gap, width + gap];
  canvas.width = columns * step[1] - gap;
  canvas.height = Math.ceil(planes / columns) * step[0] - gap;
  canvas.style.width = canvas.width < SMALL ? `${canvas.width * Math.ceil(SMALL / canvas.width)}px` : '';
  const context = canvas.getContext('2d');
  const grey = depth === 1 ? greyOf(tensor, planes * height * width) : undefined;
  for (let plane = 0; plane < planes; plane += 1) {
    const image = new ImageData(width, height);
    const first = plane * height * width;
    for (let i = 0; i < height * width; i += 1) {
      const pixel = first + i;
      for (let c = 0; c < 3; c += 1) image.data[4 * i + c] = grey ? grey.level(pixel) : tensor.bytes[pixel * depth + c];
      image.data[4 * i + 3] = depth === 4 ? tensor.bytes[pixel * 4 + 3] : 255;
    }
    context.putImageData(image, (plane % columns) * step[1], Math.floor(plane / columns) * step[0]);
  }
  const size = `${width} × ${height} pixels`;
  const seen = grey ? `in grey${grey.range}` : 'in colour';
  return planes === 1 ? `${size}, ${seen}` : `${planes} planes of ${size}, ${seen}`;
}

/** The levels of grey of elements: bytes as they are, other numbers from their least to their greatest. */
function greyOf(tensor, count) {
  if (tensor.dtype === 'uint8') return { level: (number) => tensor.bytes[number], range: '' };
  const values = valuesOf(tensor);
  let [least, greatest] = [Infinity, -Infinity];
  for (let number = 0; number < count; number += 1) {
    const value = Number(values(number));
    if (Number.isFinite(value)) [least, greatest] = [Math.min(least, value), Math.max(greatest, value)];
  }
  const scale = greatest > least ? 255 / (greatest - least) : 0;
  const short = (value) => Number(value.toPrecision(4));
  const range = greatest >= least ? `: black is ${short(least)}, white is ${short(greatest)}` : '';
  return { level: (number) => (Number(values(number)) - least) * scale, range };
}
