// The page: from a source and a chain of moves to everything that is shown of them.
import { Restride } from '../restride/index.js';
import { drawLayout } from './drawing.js';
import { EXAMPLES } from './examples.js';
import { NoDevice, findDevice, imagined, materialise, measure, noDevice, upload } from './gpu.js';
import { Moves } from './moves.js';
import { byId, bytesInWords, element, tuple } from './page.js';
import { tensorOf } from './picture.js';
import { judge, offer, referenceOf, save, showFacts, showTensor, showTime, verdict } from './results.js';

/** The most bytes of a result: the reference makes them too, and the page keeps both. */
const MOST_BYTES = 2 ** 28;
/** How long nobody must have typed before the copy is run. */
const STILL_MS = 150;

const REASONS = {
  insecure: 'Browsers give WebGPU to secure pages alone: serve this one over https, or from localhost.',
  absent: 'This browser does not have it, or keeps it switched off.',
  adapter: 'This browser has it, but found no adapter: no GPU that it trusts, or no driver.',
};

const page = {
  restride: undefined,
  /** Where there is one, and whether no GPU is behind it. */
  device: undefined,
  software: false,
  /** The source as it was read, its buffer, and the view of all of it. */
  tensor: undefined,
  buffer: undefined,
  base: undefined,
  /** What the moves make of it, and that in C order. */
  view: undefined,
  result: undefined,
};
/** The number of the newest run: what an older one finds is not shown. */
let newest = 0;
/** The number of the newest source that was asked for: an older one that arrives later is not taken. */
let opened = 0;
/** Runs follow one another, so that no two are measured at once. */
let running = Promise.resolve();

const moves = new Moves(() => update());

/** Finds the device, or says what to do where there is none. */
async function start() {
  const select = byId('example');
  select.append(...EXAMPLES.map(({ label }, i) => element('option', { value: i }, label)));
  select.append(element('option', { value: 'own', hidden: '' }, 'your own file'));
  try {
    const { device, adapter, software } = await findDevice();
    byId('adapter').textContent = software ? `On ${adapter}: a software adapter, which runs shaders on the CPU.` : `On ${adapter}.`;
    device.addEventListener('uncapturederror', ({ error }) => verdict('failed', `The GPU refused something: ${error.message}`));
    device.lost.then(({ message, reason }) => {
      newest += 1;
      verdict('failed', `The GPU was lost (${message || reason}). Reload the page.`);
    });
    Object.assign(page, { device, software });
  } catch (error) {
    if (!(error instanceof NoDevice)) throw error;
    byId('adapter').textContent = 'No GPU: see below.';
    byId('missing').hidden = false;
    byId('missing-reason').textContent = REASONS[error.reason];
    byId('again').hidden = true;
  }
  page.restride = await Restride.create(page.device ?? noDevice());
  await open(EXAMPLES[0].load, EXAMPLES[0].view);
}

/** Takes a new source; its chain is `view`. */
async function open(load, view, choice = 0) {
  byId('source-error').hidden = true;
  try {
    const opening = (opened += 1);
    const tensor = await load();
    if (opening !== opened) return;
    const { restride, device } = page;
    const most = restride.device.limits.maxBufferSize;
    if (tensor.bytes.length > most) {
      throw new Error(`${tensor.name} has ${bytesInWords(tensor.bytes.length)}; a buffer of this device has ${bytesInWords(most)} at most`);
    }
    const buffer = device ? upload(device, tensor.bytes) : imagined(tensor.bytes.length);
    let base;
    try {
      base = restride.view({ buffer, dtype: tensor.dtype, shape: tensor.shape, strides: tensor.strides });
    } catch (error) {
      buffer.destroy();
      throw error;
    }
    const old = page.buffer;
    // What still runs on it is not shown any more.
    newest += 1;
    running = running.then(() => old?.destroy());
    Object.assign(page, { tensor, buffer, base });
  } catch (error) {
    byId('source-error').hidden = false;
    byId('source-error').textContent = error.message;
    return;
  }
  byId('example').value = choice;
  const { tensor, base } = page;
  const whole = { dtype: base.dtype, bits: base.bits, shape: base.shape };
  const ordered = tensor.strides ? new Uint8Array(base.byteLength) : tensor.bytes;
  if (tensor.strides) ordered.set(await referenceOf(tensor.bytes, base, () => true));
  const seen = showTensor('source', { ...whole, bytes: ordered });
  byId('source-facts').textContent =
    `${tensor.name}: ${base.dtype} ${tuple(base.shape)}, strides ${tuple(base.strides)}, ${bytesInWords(tensor.bytes.length)}${seen ? `; ${seen}` : ''}`;
  moves.start(view);
  update();
}

/** Shows everything that follows from the text of the chain. */
function update() {
  const { base, restride, tensor } = page;
  if (!base) return;
  try {
    page.view = base.apply(moves.text);
  } catch (error) {
    moves.fail(error);
    newest += 1;
    verdict('stale', 'The moves cannot be read, so nothing was copied: what is shown is of an earlier view.');
    return;
  }
  moves.fail(undefined);
  const { view } = page;
  moves.show(base, view);
  const at = { indices: byId('indices'), memory: byId('memory'), words: byId('layout-words'), readout: byId('readout') };
  drawLayout(at, { view, source: base, memory: Math.floor((tensor.bytes.length * 8) / view.bits) });
  const run = (newest += 1);
  try {
    byId('plan').textContent = restride.explain(view, inOrder(view, imagined(view.byteLength)));
  } catch (error) {
    byId('plan').textContent = error.message;
  }
  verdict('busy', 'Copying …');
  setTimeout(() => {
    running = running.then(() => copy(run)).catch((error) => {
      if (run === newest) verdict('failed', `${error.name}: ${error.message}`);
    });
  }, STILL_MS);
}

/** The elements of a view side by side in another buffer. */
const inOrder = ({ dtype, shape }, buffer) => ({ buffer, dtype, shape });

/** Copies, shows, checks and measures the newest view. */
async function copy(run) {
  const wanted = () => run === newest;
  if (!wanted()) return;
  const { restride, device, tensor, view } = page;
  const { dtype, bits, shape } = view;
  page.result = undefined;
  offer(undefined);
  byId('time').hidden = true;
  const most = Math.min(MOST_BYTES, restride.device.limits.maxBufferSize);
  if (view.byteLength > most) {
    verdict('failed', `The result would take ${bytesInWords(view.byteLength)}; this page stops at ${bytesInWords(most)}.`);
    return;
  }
  const show = (bytes) => {
    page.result = { dtype, bits, shape, bytes };
    showFacts(view, showTensor('result', page.result));
    offer(page.result);
  };
  if (!device) {
    const bytes = await referenceOf(tensor.bytes, view, wanted);
    if (!bytes) return;
    show(bytes);
    verdict('reference', 'Made by the reference on the CPU, as there is no WebGPU here: nothing was checked or measured.');
    return;
  }
  const { prepared, buffer, bytes } = await materialise(restride, view, (made) => inOrder(view, made));
  try {
    if (!wanted()) return;
    show(bytes);
    verdict('busy', 'Checking …');
    const expected = await referenceOf(tensor.bytes, view, wanted);
    if (!expected) return;
    judge(bytes, expected, view);
    if (view.size === 0) return;
    const time = await measure(device, prepared, buffer, view.byteLength, wanted);
    if (time && wanted()) showTime(view, time, page.software);
  } finally {
    prepared.destroy();
    buffer.destroy();
  }
}

const openFile = (file) => open(() => tensorOf(file), '', 'own');

byId('file').addEventListener('change', ({ target }) => {
  if (target.files.length > 0) openFile(target.files[0]);
  // The same file may be chosen again.
  target.value = '';
});
byId('example').addEventListener('change', ({ target }) => {
  const { load, view } = EXAMPLES[target.value];
  open(load, view, target.value);
});
addEventListener('dragover', (event) => {
  event.preventDefault();
  document.body.classList.add('dropping');
});
addEventListener('dragleave', (event) => {
  if (!event.relatedTarget) document.body.classList.remove('dropping');
});
addEventListener('drop', (event) => {
  event.preventDefault();
  document.body.classList.remove('dropping');
  if (event.dataTransfer.files.length > 0) openFile(event.dataTransfer.files[0]);
});
byId('again').addEventListener('click', () => update());
byId('save').addEventListener('click', () => save(page.result));

start().catch((error) => verdict('failed', `The page could not start: ${error.message}`));
