import { RestrideError } from './error.js';

/** `RSTR`, as a little-endian word. */
const MAGIC = 0x52545352;
/** The one version of the encoding that this executor carries out. */
export const PLAN_VERSION = 1;

/** Little-endian words read in order: see `src/plan/serial.rs` of the crate, which writes them. */
class Reader {
  #view;
  #at = 0;

  constructor(bytes) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  word() {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4, true);
  }

  /** A 64-bit number: every place in a buffer is a safe integer. */
  double() {
    const [low, high] = [this.word(), this.word()];
    const value = high * 2 ** 32 + low;
    if (!Number.isSafeInteger(value)) throw malformed('a number is not a safe integer');
    return value;
  }

  bytes(count) {
    const from = this.#at;
    this.#at += Math.ceil(count / 4) * 4;
    if (this.#at > this.#view.byteLength) throw malformed('it ends too early');
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + from, count);
  }

  get done() {
    return this.#at === this.#view.byteLength;
  }
}

const malformed = (why) => new RestrideError('PlanFormat', `not an encoded plan: ${why}`, { argument: 'plan' });

/** One of the first `count` numbers. */
function choice(value, count, what) {
  if (value >= count) throw malformed(`${what} ${value} is unknown`);
  return value;
}

function program(reader) {
  const [moduleId, access] = [reader.word(), choice(reader.word(), 3, 'the access')];
  const text = new TextDecoder().decode(reader.bytes(reader.word()));
  const [label, ...lines] = text.split('\n');
  const constants = Object.fromEntries(lines.map((line) => line.split('=')).map(([name, value]) => [name, Number(value)]));
  return { moduleId, access, label, constants, key: `${moduleId}\n${text}` };
}

function step(reader, programs) {
  const [kind, route] = [choice(reader.word(), 2, 'the kind'), choice(reader.word(), 3, 'the route')];
  const window = () => ({ offset: reader.double(), size: reader.double() });
  if (kind === 0) return { route, src: reader.double(), dst: reader.double(), size: reader.double() };
  const number = choice(reader.word(), programs.length, 'the program');
  const [src, dst, groups] = [window(), window(), [reader.word(), reader.word(), reader.word()]];
  return { route, program: programs[number], src, dst, groups, block: reader.bytes(4 * reader.word()) };
}

/** The plan that `bytes` encode; a plan of another version is refused. */
export function decodePlan(bytes) {
  if (!(bytes instanceof Uint8Array)) throw malformed('it is no Uint8Array');
  try {
    const reader = new Reader(bytes);
    if (reader.word() !== MAGIC) throw malformed('it does not start as one');
    const version = reader.word();
    if (version !== PLAN_VERSION) {
      const message = `a plan of version ${version}, where this executor knows version ${PLAN_VERSION}`;
      throw new RestrideError('PlanVersion', message, { argument: 'plan', value: version, bound: PLAN_VERSION });
    }
    const plan = {
      oneBuffer: choice(reader.word(), 2, 'the number of buffers') === 1,
      scratchBytes: reader.double(),
      srcBytes: reader.double(),
      dstBytes: reader.double(),
      blockBytes: reader.word(),
    };
    const [programCount, stepCount] = [reader.word(), reader.double()];
    const listed = (count, read) => {
      const list = [];
      while (list.length < count) list.push(read());
      return list;
    };
    const programs = listed(programCount, () => program(reader));
    const steps = listed(stepCount, () => step(reader, programs));
    if (!reader.done) throw malformed('something follows its last step');
    return { ...plan, programs, steps };
  } catch (error) {
    throw error instanceof RangeError ? malformed('it ends too early') : error;
  }
}
