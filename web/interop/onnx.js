// Models of a few nodes, written as ONNX's protocol buffers: https://onnx.ai/onnx/intro/concepts.html names the messages.

const FLOAT = 1;
const INTS = 7;
const OPSET = 17;
const IR_VERSION = 8;

const varint = (value) => {
  const bytes = [];
  for (; value > 0x7f; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
  return [...bytes, value];
};
/** A field of a message: a number, a text, or a message's bytes. */
const field = (number, value) => {
  if (typeof value === 'number') return [...varint(number << 3), ...varint(value)];
  const bytes = typeof value === 'string' ? [...new TextEncoder().encode(value)] : value;
  return [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes];
};
const fields = (number, values) => values.flatMap((value) => field(number, value));

const valueInfo = (name, dims) => {
  const shape = fields(1, dims.map((dim) => field(1, dim)));
  const tensor = [...field(1, FLOAT), ...field(2, shape)];
  return [...field(1, name), ...field(2, field(1, tensor))];
};
const attribute = (name, ints) => [...field(1, name), ...fields(8, ints), ...field(20, INTS)];

/** A node; `attributes` are lists of integers. */
export const node = (type, inputs, outputs, attributes = {}) => [
  ...fields(1, inputs),
  ...fields(2, outputs),
  ...field(4, type),
  ...fields(5, Object.entries(attributes).map(([name, ints]) => attribute(name, ints))),
];

/** A model on float32; `inputs` and `outputs` map names to shapes. */
export function model(nodes, inputs, outputs) {
  const values = (number, shapes) => fields(number, Object.entries(shapes).map(([name, dims]) => valueInfo(name, dims)));
  const graph = [...fields(1, nodes), ...field(2, 'graph'), ...values(11, inputs), ...values(12, outputs)];
  const opset = [...field(1, ''), ...field(2, OPSET)];
  return new Uint8Array([...field(1, IR_VERSION), ...field(7, graph), ...field(8, opset)]);
}
