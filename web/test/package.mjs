// What would be published: its files, their sizes, its dependencies, its types. README keeps the sizes.
//
//   node package.mjs

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as api from 'restride';
import { Report, equal } from './report.js';

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const read = (path) => readFileSync(here(path));
const report = new Report();
const manifest = JSON.parse(read('package.json'));
const readme = read('README.md').toString();

/** The most bytes, raw and under gzip. The aim for the planner is 50,000 under gzip: this holds what is reached. */
const MOST = { wasm: [120_000, 50_000], js: [Infinity, 8_000] };

function sizes(kind) {
  const files = readdirSync(here('dist')).filter((name) => name.endsWith(`.${kind}`));
  const bytes = files.map((name) => read(`dist/${name}`));
  const sum = (list) => list.reduce((total, part) => total + part.length, 0);
  return [sum(bytes), sum(bytes.map((part) => gzipSync(part, { level: 9 })))];
}

for (const [kind, name] of [['wasm', 'planner'], ['js', 'JavaScript']]) {
  await report.test(`the size of the ${name}`, () => {
    const [raw, zipped] = sizes(kind);
    report.note(`${name}: ${raw} bytes, ${zipped} under gzip`);
    const [mostRaw, mostZipped] = MOST[kind];
    if (raw > mostRaw || zipped > mostZipped) throw new Error(`more than ${mostRaw} bytes, or ${mostZipped} under gzip`);
    // The table of the README is right to a twentieth.
    const row = readme.match(new RegExp(`\\| ${name} \\| ([\\d.]+) kB \\| ([\\d.]+) kB \\|`));
    if (!row) throw new Error('README.md has no row for it');
    for (const [said, found] of [[row[1], raw], [row[2], zipped]]) {
      if (Math.abs(Number(said) * 1000 - found) > found / 20) throw new Error(`README.md says ${said} kB of ${found} bytes`);
    }
  });
}

await report.test('the files of the package', () => {
  const out = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: here('.'), stdio: ['ignore', 'pipe', 'ignore'] });
  const packed = JSON.parse(out);
  const [{ files }] = Array.isArray(packed) ? packed : Object.values(packed);
  equal(files.map(({ path }) => path).sort(), [
    'LICENSE-APACHE',
    'LICENSE-MIT',
    'README.md',
    'dist/index.js',
    'dist/node.js',
    'dist/planner.wasm',
    'dist/restride.js',
    'examples/node.mjs',
    'examples/page.html',
    'index.d.ts',
    'package.json',
  ]);
});

await report.test('no dependency at run time, and the version of the crate', () => {
  equal(Object.keys(manifest).filter((key) => /dependencies/i.test(key)), ['devDependencies']);
  const crate = read('../Cargo.toml').toString();
  equal(manifest.version, crate.match(/^version = "(.*)"/m)[1]);
  equal(api.PLAN_VERSION, Number(read('../src/plan/serial.rs').toString().match(/VERSION: u32 = (\d+)/)[1]));
});

await report.test('nothing is fetched but the planner, and nothing becomes global', () => {
  const source = readdirSync(here('src')).map((name) => read(`src/${name}`).toString()).join('\n');
  equal(source.match(/new URL\('[^']*'/g), ["new URL('./planner.wasm'"]);
  if (/globalThis|window\.|self\./.test(source)) throw new Error('a global is named');
  if (/\beval\b|new Function|innerHTML/.test(source)) throw new Error('what a strict policy forbids');
});

await report.test('every name of the types is there', () => {
  const types = read('index.d.ts').toString();
  equal([...types.matchAll(/^export (?:class|const|function) (\w+)/gm)].map(([, name]) => name).sort(), Object.keys(api).sort());
  for (const [, name, body] of types.matchAll(/^export class (\w+)[^{]*\{(.*?)^\}/gms)) {
    if (name === 'RestrideError') continue;
    const declared = [...body.matchAll(/^  (?:static |readonly )?(\w+)[(:]/gm)].map(([, member]) => member).filter((member) => member !== 'constructor');
    const own = Object.getOwnPropertyNames(api[name].prototype).concat(Object.getOwnPropertyNames(api[name]));
    const fields = name === 'View' ? ['buffer', 'dtype', 'bits', 'shape', 'strides', 'offset'] : [];
    const missing = declared.filter((member) => !own.includes(member) && !fields.includes(member));
    equal(missing, [], `what ${name} lacks`);
    const hidden = own.filter((member) => !declared.includes(member) && !['constructor', 'length', 'name', 'prototype', 'of', 'use'].includes(member));
    equal(hidden, [], `what the types of ${name} lack`);
  }
});

await report.test('the types compile', () => {
  const { status, stdout } = spawnSync(process.execPath, [here('node_modules/typescript/bin/tsc'), '-p', here('test/tsconfig.json')]);
  if (status !== 0) throw new Error(stdout.toString().slice(0, 2000));
});

console.log(`${report.passed} passed, ${report.failed} failed`);
process.exit(report.failed === 0 ? 0 : 1);
