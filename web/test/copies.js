// Random copies written by the Rust suite, planned and carried out by this package; every byte of the destination is compared.

/** Copies in one submission, and so in one wait. */
const COPIES_PER_SUBMISSION = 50;
const USAGE = 0x80 | 0x8 | 0x4; // STORAGE | COPY_DST | COPY_SRC
const [MAP_READ, COPY_DST] = [0x1, 0x8];

const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const align = (n, to) => Math.ceil(n / to) * to;

/** Runs every copy of `lines` (an async iterable of lines of JSON). With `plant` a wrong bit is put into the first expectation. */
export async function runCopies({ restride, device, lines, report, plant = false, most = Infinity }) {
  let [batch, count] = [[], 0];
  for await (const line of lines) {
    const record = JSON.parse(line);
    if (record.type === 'seed') report.note(`seed ${record.seed}`);
    if (record.type !== 'copy') continue;
    if (plant && count === 0) {
      const expected = bytesOf(record.expected);
      expected[expected.length >> 1] ^= 0x10;
      record.expected = btoa(String.fromCharCode(...expected));
      report.note(`planted a wrong bit in ${record.name}`);
    }
    batch.push(record);
    count += 1;
    if (batch.length === COPIES_PER_SUBMISSION || count === most) {
      await runBatch({ restride, device, batch, report });
      batch = [];
    }
    if (count === most) break;
  }
  if (batch.length > 0) await runBatch({ restride, device, batch, report });
  return count;
}

async function runBatch(context) {
  const { batch, report } = context;
  let results;
  try {
    results = await submit(context);
  } catch (error) {
    // One wrong copy spoils its whole submission: alone, each answers for itself.
    if (batch.length === 1) report.fail(batch[0].name, error.message);
    else for (const copy of batch) await runBatch({ ...context, batch: [copy] });
    return;
  }
  batch.forEach((copy, i) => compare(copy, results[i], report));
}

function filled(device, bytes) {
  const buffer = device.createBuffer({ size: Math.max(align(bytes.length, 4), 4), usage: USAGE, mappedAtCreation: true });
  new Uint8Array(buffer.getMappedRange()).set(bytes);
  buffer.unmap();
  return buffer;
}

async function submit({ restride, device, batch }) {
  for (const filter of ['validation', 'out-of-memory', 'internal']) device.pushErrorScope(filter);
  const made = [];
  const ranges = [];
  let [mapped, thrown, staging, end] = [undefined, undefined, undefined, 0];
  try {
    const encoder = device.createCommandEncoder();
    const sides = [];
    for (const copy of batch) {
      const dst = filled(device, bytesOf(copy.dst));
      const src = copy.oneBuffer ? dst : filled(device, bytesOf(copy.src));
      made.push(src, dst);
      const [from, to] = [src, dst].map((buffer, i) => ({ buffer, dtype: copy.dtypes[i], ...copy.layouts[i] }));
      await restride.warm(from, to, copy.options);
      restride.copy(encoder, from, to, copy.options);
      sides.push(dst);
      ranges.push([end, dst.size]);
      end += align(dst.size, 8);
    }
    staging = device.createBuffer({ size: end, usage: MAP_READ | COPY_DST });
    made.push(staging);
    sides.forEach((dst, i) => encoder.copyBufferToBuffer(dst, 0, staging, ...ranges[i]));
    device.queue.submit([encoder.finish()]);
    mapped = staging.mapAsync(MAP_READ);
    mapped.catch(() => {});
  } catch (error) {
    thrown = error;
  }
  const errors = [await device.popErrorScope(), await device.popErrorScope(), await device.popErrorScope()];
  try {
    const objection = errors.find((error) => error) ?? thrown;
    if (objection) throw objection;
    await mapped;
    const all = new Uint8Array(staging.getMappedRange());
    return ranges.map(([offset, size]) => all.slice(offset, offset + size));
  } finally {
    for (const buffer of made) buffer.destroy();
  }
}

function compare(copy, got, report) {
  const expected = bytesOf(copy.expected);
  const wrong = got.findIndex((byte, i) => byte !== (expected[i] ?? 0));
  if (wrong < 0) report.pass();
  else report.fail(copy.name, `byte ${wrong} of ${expected.length} is ${got[wrong]}, not ${expected[wrong] ?? 0}`);
}
