// Node's entry: its fetch reads no files, and the planner's module is one beside this.
import { readFile } from 'node:fs/promises';
import { loader } from './planner.js';

const { fetch } = loader;
loader.fetch = (url) => (new URL(url).protocol === 'file:' ? readFile(new URL(url)) : fetch(url));

export * from './index.js';
