// A large file that is refused before its end, sent as browsers send it: all of it before the answer is read.
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { testServer } from '#testing/server.ts';

const MARK = 'a-mark-of-the-test';
const SIZE = 40 * 1024 * 1024;

test('one that is refused at its beginning is read to its end, and the answer found', async () => {
  const server = await testServer({ IMPORT_MAX_MB: '100' });
  const owner = await server.owner();
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as AddressInfo;
  const head = `--${MARK}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n`;
  const tail = `\r\n--${MARK}--\r\n`;
  const socket = net.connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (data) => (answer += data));
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  socket.write(
    `POST /client-api/api/subscribers/import_file HTTP/1.1\r\nhost: localhost\r\nx-sendloom: 1\r\ncookie: ${cookie}\r\ncontent-type: multipart/form-data; boundary=${MARK}\r\ncontent-length: ${head.length + SIZE + tail.length}\r\n\r\n${head}`,
  );
  // What no list begins with.
  const chunk = Buffer.alloc(65_536, '%PDF-1.7 ');
  for (let sent = 0; sent < SIZE; sent += chunk.length) {
    if (!socket.write(chunk)) await once(socket, 'drain');
  }
  await new Promise((resolve) => socket.write(tail, resolve));
  await expect.poll(() => answer).toContain('\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(answer).toContain('"no_list"');
  socket.destroy();
});
