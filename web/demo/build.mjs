// Puts the page together in demo/dist/, from its sources and the package's own dist/, which is built before.
//
//   node demo/build.mjs

import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

rmSync(here('dist'), { recursive: true, force: true });
mkdirSync(here('dist/restride'), { recursive: true });
for (const name of ['index.html', 'style.css', 'icon.svg', 'src']) cpSync(here(name), here(`dist/${name}`), { recursive: true });
for (const name of readdirSync(here('../dist')).filter((file) => file !== 'node.js')) cpSync(here(`../dist/${name}`), here(`dist/restride/${name}`));
cpSync(here('../../examples/photo.png'), here('dist/photo.png'));
