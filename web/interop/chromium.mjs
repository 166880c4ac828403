// A page in headless Chromium, served from this machine: the package's folder, and in it the frameworks' own builds.

import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };
const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Opens `/interop/page.html?query` and gives what the page ends with, or throws its error. The page's lines are printed as they
 * come, unless `quiet`.
 */
export async function open(query, { path = '/usr/bin/chromium', patienceMs }) {
  const server = createServer((request, response) => {
    const file = join(root, normalize(new URL(request.url, 'http://localhost').pathname));
    // With these two the page's clock has steps of 5 µs and not of 100.
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    response.setHeader('Content-Type', TYPES[extname(file)] ?? 'text/plain');
    createReadStream(file)
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox', '--enable-unsafe-webgpu'] });
  try {
    const page = await browser.newPage();
    const broken = new Promise((_, reject) => {
      page.on('pageerror', reject);
      page.on('crash', () => reject(new Error('the page crashed')));
    });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) console.error(`${message.type()}: ${message.text()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) console.error(`${response.status()} ${response.url()}`);
    });
    await page.exposeFunction('say', (line) => console.log(line));
    const ended = (async () => {
      await page.goto(`http://localhost:${server.address().port}/interop/page.html?${query}`);
      await page.waitForFunction(() => globalThis.outcome !== undefined, undefined, { timeout: patienceMs });
      return page.evaluate(() => globalThis.outcome);
    })();
    return { ...(await Promise.race([ended, broken])), browser: browser.version() };
  } finally {
    await browser.close();
    server.close();
  }
}
