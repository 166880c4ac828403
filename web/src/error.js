/**
 * Why a call was refused. Nothing was recorded, and nothing was written.
 *
 * `code` is one of a closed list, `argument` names what was wrong, `value` is what it was and `bound` what it broke, where there
 * are such.
 */
export class RestrideError extends Error {
  constructor(code, message, { argument, value, bound, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RestrideError';
    this.code = code;
    this.argument = argument;
    this.value = value;
    this.bound = bound;
  }
}

/** A value in few words, for a message. */
function inWords(value) {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value !== 'object') return String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}

/** The safe integer that a Number or a BigInt is. */
export function integer(value, argument, least = -Number.MAX_SAFE_INTEGER) {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (!Number.isSafeInteger(number)) {
    throw new RestrideError('NotAnInteger', `${argument} is ${inWords(value)}, not a safe integer`, { argument, value });
  }
  if (number < least) {
    throw new RestrideError('Negative', `${argument} is ${number}, below ${least}`, { argument, value: number, bound: least });
  }
  return number;
}

/** The safe integers of an array, a typed array, or whatever else is iterated. */
export function integers(values, argument, least) {
  if (typeof values?.[Symbol.iterator] !== 'function' || typeof values === 'string') throw wrongType(argument, values, 'a list of integers');
  return Array.from(values, (value, i) => integer(value, `${argument}[${i}]`, least));
}

export function wrongType(argument, value, wanted) {
  return new RestrideError('Type', `${argument} is ${inWords(value)}, not ${wanted}`, { argument, value });
}
