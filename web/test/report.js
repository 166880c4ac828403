/** Counts what passed and what failed, and says the first failures. */
export class Report {
  passed = 0;
  failed = 0;
  #shown = 20;

  constructor(say = (line) => console.log(line)) {
    this.note = say;
  }

  pass() {
    this.passed += 1;
  }

  fail(name, message) {
    this.failed += 1;
    this.#shown -= 1;
    if (this.#shown >= 0) this.note(`FAILED ${name}: ${message}`);
    if (this.#shown === 0) this.note('… further failures are only counted');
  }

  /** Runs one test; what it throws is its failure. */
  async test(name, body) {
    try {
      await body();
      this.pass();
    } catch (error) {
      this.fail(name, error.stack ?? error.message);
    }
  }
}

export function equal(found, wanted, what = 'value') {
  const [left, right] = [found, wanted].map((value) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v)));
  if (left !== right) throw new Error(`${what} is ${left}, not ${right}`);
}
