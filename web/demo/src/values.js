// Elements as numbers and as words.

const READERS = {
  bool: [1, (data, at) => data.getUint8(at) !== 0],
  int8: [1, (data, at) => data.getInt8(at)],
  int16: [2, (data, at) => data.getInt16(at, true)],
  int32: [4, (data, at) => data.getInt32(at, true)],
  int64: [8, (data, at) => data.getBigInt64(at, true)],
  uint8: [1, (data, at) => data.getUint8(at)],
  uint16: [2, (data, at) => data.getUint16(at, true)],
  uint32: [4, (data, at) => data.getUint32(at, true)],
  uint64: [8, (data, at) => data.getBigUint64(at, true)],
  float16: [2, (data, at) => half(data.getUint16(at, true))],
  bfloat16: [2, (data, at) => single(data.getUint16(at, true) << 16)],
  float32: [4, (data, at) => data.getFloat32(at, true)],
  float64: [8, (data, at) => data.getFloat64(at, true)],
};

/** The value of a half-precision number. */
function half(bits) {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const sign = bits >> 15 ? -1 : 1;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

/** The single-precision number with these bits. */
function single(bits) {
  const data = new DataView(new ArrayBuffer(4));
  data.setInt32(0, bits);
  return data.getFloat32(0);
}

/** The bits of an element as one BigInt. */
function bitsOf(bytes, bits, number) {
  let value = 0n;
  for (let i = bits - 1; i >= 0; i -= 1) {
    const at = number * bits + i;
    value = (value << 1n) | BigInt((bytes[Math.floor(at / 8)] >> at % 8) & 1);
  }
  return value;
}

/** A function that gives the value of the element with a number: a Number, a BigInt or a Boolean; undefined for a type without one. */
export function valuesOf({ dtype, bits, bytes }) {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reader = READERS[dtype];
  if (reader) return (number) => reader[1](data, number * reader[0]);
  if (/^(uint[24]|bit)$/.test(dtype)) return (number) => Number(bitsOf(bytes, bits, number));
  if (/^int[24]$/.test(dtype)) return (number) => Number(BigInt.asIntN(bits, bitsOf(bytes, bits, number)));
  return undefined;
}

/** A number in at most six digits. */
const short = (value) => (typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toPrecision(5))) : String(value));

/** The element with a number, as a short text; a type whose value is not shown gives its bits in hexadecimal. */
export function textOf(tensor, number) {
  const values = valuesOf(tensor);
  if (values) return typeof values(number) === 'boolean' ? (values(number) ? 'true' : 'false') : short(values(number));
  if (tensor.dtype.startsWith('complex')) {
    const parts = valuesOf({ ...tensor, dtype: tensor.dtype === 'complex64' ? 'float32' : 'float64' });
    const [real, imaginary] = [parts(2 * number), parts(2 * number + 1)];
    return `${short(real)}${imaginary < 0 ? '−' : '+'}${short(Math.abs(imaginary))}i`;
  }
  return `0x${bitsOf(tensor.bytes, tensor.bits, number).toString(16).padStart(Math.ceil(tensor.bits / 4), '0')}`;
}
