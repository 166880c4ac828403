// A part of the suite in a worker.
import * as api from '../dist/index.js';
import { run } from './run.js';

const say = (line) => postMessage(line);
run({ api, say, where: 'worker', most: 200 }).then(postMessage, (error) => postMessage({ passed: 0, failed: 1, message: String(error) }));
