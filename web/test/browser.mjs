// The suite in a browser, on a page served from this machine under a strict Content-Security-Policy.
//
//   node browser.mjs chromium|firefox CASES.jsonl [--plant] [--path PROGRAM]
//
// --plant puts a wrong bit into the first expectation and runs one submission: the run must then fail.

import { spawn } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** How long nothing may be heard of the page. */
const PATIENCE_MS = 180_000;
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { plant: { type: 'boolean', default: false }, path: { type: 'string' } },
});
const [browser, cases] = positionals;
const root = fileURLToPath(new URL('..', import.meta.url));

/** What the page says of itself. */
let heard = () => {};
let finish;
const finished = new Promise((resolve) => {
  finish = resolve;
});

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  response.setHeader('Content-Security-Policy', POLICY);
  heard();
  if (request.method === 'POST') {
    let body = '';
    request.setEncoding('utf8').on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      response.end();
      if (pathname === '/say') console.log(body);
      else if (pathname === '/end') finish(JSON.parse(body));
    });
    return;
  }
  const file = pathname === '/cases.jsonl' ? cases : join(root, normalize(pathname));
  response.setHeader('Content-Type', TYPES[extname(file)] ?? 'text/plain');
  createReadStream(file)
    .on('data', () => heard())
    .on('error', () => response.writeHead(404).end())
    .pipe(response);
});
await new Promise((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
const url = `http://localhost:${server.address().port}/test/page.html${options.plant ? '?plant' : ''}`;

const profile = mkdtempSync(join(tmpdir(), 'restride-'));
const commands = {
  chromium: () => [
    options.path ?? 'chromium',
    ['--headless', '--no-sandbox', '--enable-unsafe-webgpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
      `--user-data-dir=${profile}`, url],
  ],
  firefox: () => {
    const settings = {
      'dom.webgpu.enabled': true,
      'dom.webgpu.workers.enabled': true,
      'gfx.webgpu.ignore-blocklist': true,
      'datareporting.policy.dataSubmissionEnabled': false,
      'app.update.enabled': false,
      'network.captive-portal-service.enabled': false,
      'network.connectivity-service.enabled': false,
    };
    const lines = Object.entries(settings).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${value});`);
    writeFileSync(join(profile, 'user.js'), lines.join('\n'));
    return [options.path ?? 'firefox-esr', ['--headless', '--no-remote', '--profile', profile, url]];
  },
};
const [program, parameters] = commands[browser]();
const child = spawn(program, parameters, { stdio: 'ignore', detached: true });
const gone = new Promise((resolve) => {
  child.on('error', (error) => resolve(`could not be started: ${error.message}`));
  child.on('exit', (code) => resolve(`ended with ${code}`));
});
const silent = new Promise((resolve) => {
  let timer;
  heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => resolve('said nothing for too long'), PATIENCE_MS);
  };
  heard();
});
const found = await Promise.race([finished, gone, silent]);
try {
  // The browser and its helpers are one group.
  process.kill(-child.pid, 'SIGKILL');
} catch {
  // It is gone already.
}
await gone;
server.close();
rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
if (typeof found === 'string') {
  console.error(`${browser} ${found}`);
  process.exit(1);
}
console.log(`${found.passed} passed, ${found.failed} failed`);
process.exit(found.failed === 0 && found.passed > 0 ? 0 : 1);
