// What of a linked module can run, and the module without the rest.
//
// Rust keeps the words of every panic, and the file and line of each place that may panic. Here a panic is a trap, so
// nobody reads them; but the linker has laid them among the data, and the functions that would print them in the table,
// where no optimiser can tell them from what is used. The linker's relocations (--emit-relocs) can: they say which function
// and which data each function and each piece of data refers to.

/** What ends in a trap: a panic, after words that nobody reads. */
const PANICS = /core9panicking|\d(slice_index_fail|slice_error_fail|unwrap_failed|expect_failed|len_mismatch_fail|handle_alloc_error|capacity_overflow)$/;

/** What no call of the module can come to: the words for host tensors, which it has none of. */
const UNUSED = /error4host5words/;

export const SECTION = { custom: 0, import: 2, export: 7, code: 10, data: 11 };
const SYMBOL = { function: 0, data: 1, section: 3 };
const SYMBOL_TABLE = 8;
const UNDEFINED = 0x10;
const EXPLICIT_NAME = 0x40;
/** Kinds of relocations that carry an addend: those of addresses and offsets. */
const WITH_ADDEND = new Set([3, 4, 5, 8, 9, 11, 14, 15, 16, 17, 21, 22, 23, 25]);
/** Kinds whose index is a type's, not a symbol's. */
const OF_TYPE = new Set([6]);

/** Reads a module's bytes in order. */
class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    Object.assign(this, { bytes, at, end });
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** A number in LEB128; signed ones are told apart by nobody here. */
  number() {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = this.byte();
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  }

  name() {
    const length = this.number();
    this.at += length;
    return this.bytes.toString('latin1', this.at - length, this.at);
  }

  /** A part of `length` bytes, to be read on its own. */
  part(length = this.number()) {
    this.at += length;
    return new Reader(this.bytes, this.at - length, this.at);
  }

  list(read) {
    return Array.from({ length: this.number() }, () => read(this));
  }
}

/** The sections in order: number, name of a custom one, and a reader of what is in it. */
export function sections(bytes) {
  const found = [];
  for (const reader = new Reader(bytes, 8); reader.at < reader.end; ) {
    const start = reader.at;
    const id = reader.byte();
    const body = reader.part();
    const from = body.at;
    found.push({ id, start, from, end: body.end, body, name: id === SECTION.custom ? body.name() : '' });
  }
  return found;
}

/** The symbols of the linking section. */
function symbols(body) {
  body.number();
  while (body.at < body.end) {
    const kind = body.byte();
    const part = body.part();
    if (kind !== SYMBOL_TABLE) continue;
    return part.list(() => {
      const symbol = { kind: part.byte(), flags: part.number() };
      const defined = !(symbol.flags & UNDEFINED);
      if (symbol.kind === SYMBOL.section) return { ...symbol, index: part.number() };
      if (symbol.kind !== SYMBOL.data) {
        symbol.index = part.number();
        if (defined || symbol.flags & EXPLICIT_NAME) symbol.name = part.name();
        return symbol;
      }
      symbol.name = part.name();
      if (defined) Object.assign(symbol, { segment: part.number(), offset: part.number(), size: part.number() });
      return symbol;
    });
  }
  throw new Error('the module has no symbols: was it linked without --emit-relocs?');
}

/** The pieces that a section consists of: the bodies of functions, or the segments of data. */
function pieces(section) {
  return section.body.list((reader) => {
    if (section.id === SECTION.code) return reader.part();
    if (reader.number() !== 0) throw new Error('a segment of data that is not laid at an address');
    // An i32.const, its address, and an end.
    reader.byte();
    reader.number();
    reader.byte();
    return reader.part();
  });
}

/**
 * The linked module without what cannot run: a panic and a function that nothing reaches trap at once, data that nothing reads is
 * 0. The sections that the linker made for this are gone.
 */
export function pruned(linked) {
  const bytes = Buffer.from(linked);
  const all = sections(bytes);
  const one = (id, name = '') => all.find((section) => section.id === id && section.name === name);
  if (one(SECTION.import)) throw new Error('the module imports something');
  const table = symbols(one(SECTION.custom, 'linking').body);
  const code = one(SECTION.code);
  const data = one(SECTION.data);
  const bodies = pieces(code);
  const segments = pieces(data);

  // Nodes are functions by their index, and symbols of data by themselves.
  const nodeOf = ({ kind, index }, symbol) => (kind === SYMBOL.function ? index : symbol);
  const datums = table.filter(({ kind, size }) => kind === SYMBOL.data && size > 0);
  const placed = datums.map((symbol) => ({ symbol, from: segments[symbol.segment].at + symbol.offset }));
  const bytesOf = ({ symbol, from }) => bytes.subarray(from, from + symbol.size);
  const edges = new Map();
  const edge = (from, to, at) => edges.set(from, [...(edges.get(from) ?? []), { to, at }]);
  for (const [section, name] of [[code, 'reloc.CODE'], [data, 'reloc.DATA']]) {
    const { body } = one(SECTION.custom, name);
    body.number();
    body.list(() => {
      const type = body.byte();
      const at = section.from + body.number();
      const index = body.number();
      if (WITH_ADDEND.has(type)) body.number();
      if (OF_TYPE.has(type)) return;
      const symbol = table[index];
      if (symbol.kind !== SYMBOL.function && symbol.kind !== SYMBOL.data) return;
      const to = nodeOf(symbol, symbol);
      if (section === code) edge(bodies.findIndex((found) => found.at <= at && at < found.end), to, at);
      else for (const { symbol: held, from } of placed) if (from <= at && at < from + held.size) edge(held, to, at - from);
    });
  }

  // A place of a panic is a file's name, its length, a line and a column.
  const texts = new Map(placed.map((found) => [found.symbol, bytesOf(found).toString('latin1')]));
  const isPlace = (symbol) => {
    const [file, ...others] = edges.get(symbol) ?? [];
    return symbol.size === 16 && others.length === 0 && file?.at === 0 && /\.rs\0?$/.test(texts.get(file.to) ?? '');
  };
  const dead = new Set(datums.filter(isPlace));
  if (dead.size === 0) throw new Error('the module has no place of a panic');
  for (const names of [PANICS, UNUSED]) {
    const found = table.filter(({ kind, name }) => kind === SYMBOL.function && names.test(name ?? ''));
    if (found.length === 0) throw new Error(`the module names nothing like ${names}: was it stripped?`);
    for (const { index } of found) dead.add(index);
  }

  const live = new Set();
  const reach = (node) => {
    if (live.has(node) || dead.has(node)) return;
    live.add(node);
    for (const { to } of edges.get(node) ?? []) reach(to);
  };
  const exported = one(SECTION.export).body;
  exported.list(() => {
    exported.name();
    const kind = exported.byte();
    const index = exported.number();
    if (kind === 0) reach(index);
  });

  for (const [index, { at, end }] of bodies.entries()) {
    // No locals, an unreachable, nops, an end.
    if (!live.has(index)) bytes.fill(1, at, end).set([0, 0], at), bytes.set([0x0b], end - 1);
  }
  const kept = placed.filter(({ symbol }) => live.has(symbol)).map((found) => [found.from, Buffer.from(bytesOf(found))]);
  for (const found of placed) bytesOf(found).fill(0);
  for (const [from, part] of kept) part.copy(bytes, from);

  const rest = all.filter(({ name }) => name !== 'linking' && !name.startsWith('reloc.'));
  return Buffer.concat([bytes.subarray(0, 8), ...rest.map(({ start, end }) => bytes.subarray(start, end))]);
}
