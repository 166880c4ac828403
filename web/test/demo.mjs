// The demo page, driven in Chromium: what is dropped, typed, clicked and keyed, and what the page says and shows of it.
//
//   node test/demo.mjs [FOLDER]
//
// The page must be built (node build.mjs); screenshots are left in FOLDER. CHROMIUM names the browser, if it is not on the path.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { serve } from '../demo/serve.mjs';

const folder = process.argv[2] ?? fileURLToPath(new URL('../../target/demo', import.meta.url));
mkdirSync(folder, { recursive: true });
const executablePath = process.env.CHROMIUM ?? execFileSync('sh', ['-c', 'command -v chromium || command -v google-chrome'], { encoding: 'utf8' }).trim();
const server = await serve(fileURLToPath(new URL('../demo/dist', import.meta.url)));
const launch = (...args) => chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });

let passed = 0;
async function test(name, body) {
  const start = Date.now();
  await body();
  passed += 1;
  console.log(`${name}, ${((Date.now() - start) / 1000).toFixed(1)} s`);
}

/** A page that fails the test by whatever it complains of. */
async function visit(browser, options) {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(30_000);
  page.complaints = [];
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && page.complaints.push(message.text()));
  page.on('requestfailed', (request) => page.complaints.push(`failed: ${request.url()}`));
  page.on('request', (request) => /^(blob:|data:)/.test(request.url()) || request.url().startsWith(server.url) || page.complaints.push(`fetched: ${request.url()}`));
  await page.goto(server.url);
  return page;
}

/** Waits for the verdict to be `state`; any other final one is a failure at once. */
async function verdict(page, state) {
  await page.waitForFunction(() => document.getElementById('verdict').dataset.state !== 'busy');
  const place = page.locator('#verdict');
  assert.equal(await place.getAttribute('data-state'), state, await place.textContent());
  return place.textContent();
}

const text = (page, selector) => page.locator(selector).innerText();

/** The pixels of the result, as bytes of RGB. */
const pixels = (page) => page.evaluate(() => {
  const canvas = document.getElementById('result-picture');
  if (canvas.hidden) return undefined;
  const { width, height } = canvas;
  // Of a copy: a canvas that is read often would be kept elsewhere from then on, and Chromium says so.
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const rgba = [...context.getImageData(0, 0, width, height).data];
  return { width, height, rgb: rgba.filter((_, i) => i % 4 < 3) };
});

/** A chunk of a PNG file. */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  let crc = ~0;
  for (const byte of body) {
    crc ^= byte;
    for (let i = 0; i < 8; i += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  const [size, end] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  end.writeInt32BE(~crc);
  return Buffer.concat([size, body, end]);
}

/** A PNG of 8-bit RGB pixels, given by row, column and channel. */
function png(height, width, pixel) {
  const rows = [];
  for (let y = 0; y < height; y += 1) {
    rows.push(0);
    for (let x = 0; x < width; x += 1) for (let c = 0; c < 3; c += 1) rows.push(pixel(y, x, c));
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.from(rows))), chunk('IEND', Buffer.alloc(0))]);
}

const drop = (page, name, type, bytes) => page.evaluate(
  ([name, type, base64]) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name, { type }));
    for (const event of ['dragover', 'drop']) document.body.dispatchEvent(new DragEvent(event, { dataTransfer: data, bubbles: true, cancelable: true }));
  },
  [name, type, bytes.toString('base64')],
);

const [HEIGHT, WIDTH] = [21, 34];
const colour = (y, x, c) => (y * 97 + x * 31 + c * 59 + y * x) % 256;

/** The bytes of RGB of a picture, by row, column and channel. */
function rgb(height, width, pixel) {
  const bytes = [];
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) for (let c = 0; c < 3; c += 1) bytes.push(pixel(y, x, c));
  return { width, height, rgb: bytes };
}

async function withGpu() {
  const browser = await launch('--enable-unsafe-webgpu');
  const page = await visit(browser, { viewport: { width: 1280, height: 900 } });

  await test('an example is shown, checked, explained and measured at once', async () => {
    assert.match(await verdict(page, 'equal'), /^Equal: 405,900 bytes/);
    const { width, height } = await pixels(page);
    assert.deepEqual([width, height], [300, 451]);
    assert.match(await text(page, '#plan'), /^(rows|blocks|gather|scatter): [12] steps?/);
    await page.locator('#time').waitFor();
    assert.match(await text(page, '#bars'), /restride\n\S+ (µs|ms|s), \S+ GB\/s\nnative copy of as many bytes\n\S+ (µs|ms|s), \S+ GB\/s/);
    assert.match(await text(page, '#time-words'), /native copy/);
    assert.equal(await page.locator('#missing').isVisible(), false);
    await page.screenshot({ path: join(folder, 'desktop.png'), fullPage: true });
  });

  await test('a picture is dropped, moves are typed and clicked, and every pixel is right', async () => {
    await drop(page, 'test.png', 'image/png', png(HEIGHT, WIDTH, colour));
    await page.getByText(`test.png: uint8 (${HEIGHT}, ${WIDTH}, 3)`).waitFor();
    await verdict(page, 'equal');
    assert.deepEqual(await pixels(page), rgb(HEIGHT, WIDTH, colour));

    await page.getByLabel('Moves, as NumPy').fill('[2:20, ::-1]');
    await verdict(page, 'equal');
    assert.deepEqual(await pixels(page), rgb(18, WIDTH, (y, x, c) => colour(2 + y, WIDTH - 1 - x, c)));

    await page.getByRole('button', { name: 'swap first two' }).click();
    await page.getByRole('button', { name: 'axis 0: every 2nd' }).click();
    assert.equal(await page.locator('#view').inputValue(), '[2:20, ::-1].swap(0,1)[::2]');
    await verdict(page, 'equal');
    const turned = (y, x, c) => colour(2 + x, WIDTH - 1 - 2 * y, c);
    assert.deepEqual(await pixels(page), rgb(WIDTH / 2, 18, turned));

    // As planes, they are drawn in grey, beside or below one another with four pixels between.
    await page.getByRole('button', { name: 'last axis first' }).click();
    await verdict(page, 'equal');
    const planes = await pixels(page);
    const [down, across] = [WIDTH / 2 + 4, 18 + 4];
    const columns = (planes.width + 4) / across;
    for (let c = 0; c < 3; c += 1) {
      for (let y = 0; y < WIDTH / 2; y += 1) {
        for (let x = 0; x < 18; x += 1) {
          const at = ((Math.floor(c / columns) * down + y) * planes.width + (c % columns) * across + x) * 3;
          assert.deepEqual(planes.rgb.slice(at, at + 3), Array(3).fill(turned(y, x, c)));
        }
      }
    }

    await page.getByRole('button', { name: 'Remove [2:20, ::-1]' }).click();
    assert.equal(await page.locator('#view').inputValue(), '.swap(0,1)[::2].permute(2,0,1)');
    await page.getByRole('button', { name: 'Undo last move' }).click();
    await verdict(page, 'equal');
    assert.deepEqual(await pixels(page), rgb(WIDTH / 2, HEIGHT, (y, x, c) => colour(x, 2 * y, c)));
  });

  await test('a wrong bit of the result is noticed', async () => {
    await page.evaluate(() => {
      const { getMappedRange } = GPUBuffer.prototype;
      GPUBuffer.prototype.getMappedRange = function planted(...range) {
        const mapped = getMappedRange.apply(this, range);
        if (this.label === 'read back') new Uint8Array(mapped)[100] ^= 4;
        return mapped;
      };
      window.restore = () => {
        GPUBuffer.prototype.getMappedRange = getMappedRange;
      };
    });
    const again = page.getByRole('button', { name: 'Run again' });
    await again.click();
    // Element 100 of rows of 21 pixels.
    assert.match(await verdict(page, 'different'), /Different: the first difference is at \[1, 12, 1\]/);
    await page.evaluate(() => window.restore());
    await again.click();
    await verdict(page, 'equal');
  });

  await test('an .npy in another order of bytes and axes is loaded, and saved', async () => {
    const header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }".padEnd(117) + '\n';
    const elements = [10, 20, 11, 21, 12, 22].flatMap((value) => [value >> 8, value & 255]);
    const file = Buffer.concat([Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, 118, 0]), Buffer.from(header), Buffer.from(elements)]);
    await page.locator('#file').setInputFiles({ name: 'numbers.npy', mimeType: 'application/octet-stream', buffer: file });
    await page.getByText('numbers.npy: int16 (2, 3), strides (1, 2)').waitFor();
    await page.getByLabel('Moves, as NumPy').fill('[:, ::-1]');
    await verdict(page, 'equal');
    assert.deepEqual((await text(page, '#result-values')).trim().split(/\s*[\t\n]\s*/), ['[0]', '12', '11', '10', '[1]', '22', '21', '20']);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as .npy' }).click()]);
    const saved = readFileSync(await download.path());
    assert.match(saved.toString('latin1'), /'descr': '<i2', 'fortran_order': False, 'shape': \(2, 3\)/);
    assert.deepEqual([...saved.subarray(128)], [12, 11, 10, 22, 21, 20].flatMap((value) => [value, 0]));
  });

  await test('files that cannot be read are refused in words', async () => {
    await drop(page, 'words.txt', 'text/plain', Buffer.from('nothing to see'));
    await page.getByText('words.txt is neither an .npy file nor a picture').waitFor();
    await drop(page, 'broken.npy', '', Buffer.from('nothing to see'));
    await page.getByText('this is no .npy file').waitFor();
  });

  await test('an error of the language is told beside the field, with its place', async () => {
    const field = page.getByLabel('Moves, as NumPy');
    await field.fill('[:, ::-1].turn()');
    const error = page.locator('#view-error');
    assert.match(await error.innerText(), /At character 11: expected one of T, permute/);
    assert.equal(await error.locator('mark').innerText(), 't');
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    await verdict(page, 'stale');
    await field.fill('[:, ::-1].flip(7)');
    assert.match(await error.innerText(), /At character 10: \.flip: .*7/);
    await field.fill('[0');
    assert.match(await error.innerText(), /At the end: expected/);
    await field.fill('[0]');
    assert.equal(await error.isVisible(), false);
    assert.equal(await field.getAttribute('aria-invalid'), 'false');
    await verdict(page, 'equal');
  });

  await test('the keyboard alone suffices', async () => {
    await page.evaluate(() => {
      document.activeElement.blur();
      scrollTo(0, 0);
    });
    await page.reload();
    await verdict(page, 'equal');
    const press = (key) => page.keyboard.press(key);
    const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? (document.activeElement.id || document.activeElement.textContent));
    /** Presses Tab until what is named has the focus, and says what was passed. */
    const tabTo = async (name) => {
      for (let i = 0; i < 60; i += 1) {
        await press('Tab');
        const [now, ring] = [await focused(), await page.evaluate(() => document.activeElement.matches(':focus-visible'))];
        assert.ok(ring, `${now} has the focus, and does not show it`);
        if (now === name) return;
      }
      assert.fail(`the Tab key does not lead to ${name}`);
    };
    await tabTo('example');
    await page.keyboard.type('48 numbers, t');
    await page.getByText('48 numbers: int32 (6, 8)').waitFor();
    await tabTo('view');
    await press('Control+a');
    await page.keyboard.type('[1:5]');
    await tabTo('axis 1: flip');
    await press('Enter');
    assert.equal(await focused(), 'axis 1: flip', 'the focus stays where it was');
    await tabTo('.T');
    await press('Space');
    await verdict(page, 'equal');
    const rows = (await text(page, '#result-values')).trim().split('\n').map((row) => row.trim().split(/\s+/));
    assert.deepEqual(rows, Array.from({ length: 8 }, (_, x) => [`[${x}]`, ...[1, 2, 3, 4].map((y) => String(8 * y + 7 - x))]));
    await tabTo('index 0, 0 reads element 15');
    await press('ArrowRight');
    await press('ArrowDown');
    // Strides (-1, 8) from element 15.
    assert.equal(await text(page, '#readout'), '[1, 1] reads element 15 − 1·1 + 1·8 = 22, from byte 88 on.');
    assert.equal(await page.locator('#memory .lit').count(), 1);
    assert.equal(await page.locator('#memory .lit text').textContent(), '5');
  });

  await test('every example is right, and fits a phone', async () => {
    const phone = await visit(browser, { viewport: { width: 360, height: 740 }, colorScheme: 'dark', deviceScaleFactor: 2 });
    await verdict(phone, 'equal');
    const examples = await phone.locator('#example option:not([hidden])').count();
    // The first one is there already, and comes again at the end.
    for (let i = 1; i <= examples; i += 1) {
      const before = await phone.locator('#view').inputValue();
      await phone.selectOption('#example', String(i % examples));
      await phone.waitForFunction((text) => document.getElementById('view').value !== text, before);
      await verdict(phone, 'equal');
      assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 360, `example ${i % examples} scrolls sideways`);
    }
    await phone.selectOption('#example', '2');
    await phone.getByText('48 numbers: int32 (6, 8)').waitFor();
    await phone.locator('#time').waitFor();
    await phone.screenshot({ path: join(folder, 'phone.png'), fullPage: true });
    assert.deepEqual(phone.complaints, []);
  });

  assert.deepEqual(page.complaints, []);
  await browser.close();
}

async function withoutGpu() {
  const browser = await launch();
  const page = await visit(browser, { viewport: { width: 1280, height: 900 } });
  await test('where WebGPU is missing the page says what to do, draws and plans', async () => {
    await page.locator('#missing').waitFor();
    assert.match(await text(page, '#missing'), /There is no WebGPU here/);
    assert.match(await text(page, '#missing'), /--enable-unsafe-webgpu --enable-features=Vulkan/);
    assert.match(await verdict(page, 'reference'), /nothing was checked/);
    const { width, height } = await pixels(page);
    assert.deepEqual([width, height], [300, 451]);
    assert.match(await text(page, '#plan'), /^(rows|blocks|gather|scatter): [12] steps?/);
    assert.ok((await page.locator('#memory .reached').count()) > 20);
    assert.equal(await page.locator('#time').isVisible(), false);
    await page.setViewportSize({ width: 360, height: 740 });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
    await page.screenshot({ path: join(folder, 'missing.png'), fullPage: true });
  });
  // Chromium itself warns that it found no adapter.
  assert.deepEqual(page.complaints.filter((words) => !/adapter/i.test(words)), []);
  await browser.close();
}

await withGpu();
await withoutGpu();
server.close();
console.log(`${passed} passed; screenshots in ${folder}`);
