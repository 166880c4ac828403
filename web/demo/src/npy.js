/** What a file of NumPy's `.npy` format could not be read for. */
export class NpyError extends Error {
  name = 'NpyError';
}

const MAGIC = [0x93, ...new TextEncoder().encode('NUMPY')];

/** NumPy's kind and bytes, and our name for the type. */
const TYPES = {
  b1: 'bool',
  i1: 'int8', i2: 'int16', i4: 'int32', i8: 'int64',
  u1: 'uint8', u2: 'uint16', u4: 'uint32', u8: 'uint64',
  f2: 'float16', f4: 'float32', f8: 'float64',
  c8: 'complex64', c16: 'complex128',
};

/** The element's bytes, and those of the number whose byte order counts: a complex one is two. */
const sizes = (code) => [Number(code.slice(1)), Number(code.slice(1)) / (code.startsWith('c') ? 2 : 1)];

/**
 * The tensor in an `.npy` file: `{dtype, shape, strides, bytes}`, the strides in elements, little-endian bytes. A file in Fortran
 * order keeps its bytes as they are: its strides say so.
 */
export function readNpy(file) {
  if (MAGIC.some((byte, i) => file[i] !== byte)) throw new NpyError('this is no .npy file: it does not start with \\x93NUMPY');
  const data = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const major = file[6];
  if (![1, 2, 3].includes(major)) throw new NpyError(`version ${major} of the format is not known; 1, 2 and 3 are`);
  const start = major === 1 ? 10 : 12;
  if (file.length < start) throw new NpyError('the file ends inside its header');
  const end = start + (major === 1 ? data.getUint16(8, true) : data.getUint32(8, true));
  if (file.length < end) throw new NpyError('the file ends inside its header');
  const { descr, fortran, shape } = header(new TextDecoder(major === 3 ? 'utf-8' : 'latin1').decode(file.subarray(start, end)));

  const [order, code] = [descr[0], descr.slice(1)];
  const dtype = TYPES[code];
  if (!dtype || !'<>|='.includes(order)) throw new NpyError(`elements of type ${descr} have no fixed width that a GPU copies; numbers and bools do`);
  const [elementBytes, numberBytes] = sizes(code);
  const count = shape.reduce((product, extent) => product * extent, 1);
  const wanted = count * elementBytes;
  if (!Number.isSafeInteger(wanted)) throw new NpyError('the shape holds more elements than any file');
  const bytes = file.slice(end, end + wanted);
  if (bytes.length !== wanted) throw new NpyError(`the shape wants ${wanted} bytes of elements, and the file has ${bytes.length}`);
  if (order === '>') swap(bytes, numberBytes);
  return { dtype, shape, strides: fortran ? fortranStrides(shape) : undefined, bytes };
}

/** The three fields of a header, which is the text of a Python dictionary. */
function header(text) {
  const descr = /'descr'\s*:\s*'([^']*)'/.exec(text)?.[1];
  const fortran = /'fortran_order'\s*:\s*(True|False)/.exec(text)?.[1];
  const tuple = /'shape'\s*:\s*\(([^)]*)\)/.exec(text)?.[1];
  if (/'descr'\s*:\s*\[/.test(text)) throw new NpyError('structured elements are not read; save one field');
  if (descr === undefined || fortran === undefined || tuple === undefined) throw new NpyError('the header lacks descr, fortran_order or shape');
  const shape = tuple.split(',').map((item) => item.trim()).filter((item) => item !== '');
  if (shape.some((item) => !/^\d+$/.test(item))) throw new NpyError(`(${tuple}) is no shape`);
  return { descr, fortran: fortran === 'True', shape: shape.map(Number) };
}

function fortranStrides(shape) {
  let stride = 1;
  return shape.map((extent) => {
    const own = stride;
    stride *= extent;
    return own;
  });
}

function swap(bytes, numberBytes) {
  for (let at = 0; at < bytes.length; at += numberBytes) bytes.subarray(at, at + numberBytes).reverse();
}

/** Whether NumPy has a type for the elements. */
export const npyHas = (dtype) => Object.values(TYPES).includes(dtype);

/** The `.npy` file, of version 1, of a tensor in C order. */
export function writeNpy({ dtype, shape, bytes }) {
  const code = Object.keys(TYPES).find((key) => TYPES[key] === dtype);
  if (!code) throw new NpyError(`NumPy has no type for ${dtype}`);
  const descr = `${sizes(code)[0] === 1 ? '|' : '<'}${code}`;
  const tuple = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${tuple}), }`;
  // The elements start at a multiple of 64 bytes, after a newline.
  const length = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const file = new Uint8Array(10 + length + bytes.length);
  file.set(MAGIC);
  file.set([1, 0, length & 0xff, length >> 8], 6);
  file.set(new TextEncoder().encode(`${text.padEnd(length - 1)}\n`), 10);
  file.set(bytes, 10 + length);
  return file;
}
