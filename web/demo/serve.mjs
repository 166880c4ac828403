// Serves the built page from this machine, as any server of static files would.
//
//   node serve.mjs [PORT]

import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** A server of the files in `root` on a port of this machine; port 0 stands for any that is free. */
export async function serve(root, port = 0) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const file = join(root, normalize(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
    response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
    createReadStream(file)
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  await new Promise((resolve, reject) => {
    server.on('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return { url: `http://localhost:${server.address().port}/`, close: () => server.close() };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await serve(fileURLToPath(new URL('dist', import.meta.url)), Number(process.argv[2] ?? 8080));
  console.log(url);
}
