// The suite in a page, and once more in a worker: what it finds is sent to the server line by line.
import * as api from '../dist/index.js';
import { run } from './run.js';

const query = new URLSearchParams(location.search);
const send = (path, body) => fetch(path, { method: 'POST', body });
const say = (line) => send('/say', line);
try {
  const plant = query.has('plant');
  const found = await run({ api, plant, say, where: 'page' });
  if (!plant) {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    const inWorker = await new Promise((resolve) => {
      worker.onmessage = ({ data }) => (typeof data === 'string' ? say(data) : resolve(data));
      worker.onerror = (event) => resolve({ passed: 0, failed: 1, message: event.message });
    });
    if (inWorker.message) await say(`FAILED worker: ${inWorker.message}`);
    found.passed += inWorker.passed;
    found.failed += inWorker.failed;
  }
  await send('/end', JSON.stringify(found));
} catch (error) {
  await say(`FAILED page: ${error.stack ?? error}`);
  await send('/end', JSON.stringify({ passed: 0, failed: 1 }));
}
