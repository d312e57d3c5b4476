// Tracking responses are written together after all concurrent requests, and immediately during a
// shutdown.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { ResponseBatch } from './response-batch.ts';

/**
 * Sends two concurrent requests; `onCount` gets the numbers of given and written responses after
 * each request.
 * @returns the responses as received
 */
async function requestTwice(
  batch: ResponseBatch,
  onCount: (givenCount: number, writtenCount: number) => void,
) {
  let count = 0;
  let writtenCount = 0;
  const server = createServer((_, response) => {
    response.on('prefinish', () => writtenCount++);
    batch.add(response, 200, { 'content-length': '2', 'x-kind': 'picture' }, 'ok');
    onCount(++count, writtenCount);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const request = async () => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
      if (text.endsWith('ok')) socket.end();
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'close');
    return text;
  };
  const responses = await Promise.all([request(), request()]);
  await new Promise((resolve) => server.close(resolve));
  return responses;
}

test('responses are written after all concurrent requests are handled, and their connections stay open', async () => {
  const pendingCounts: number[] = [];
  const responses = await requestTwice(new ResponseBatch(), (count, writtenCount) =>
    pendingCounts.push(count - writtenCount),
  );
  expect(Math.min(...pendingCounts)).toBeGreaterThanOrEqual(1);
  for (const text of responses) {
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*x-kind: picture\r\n/i);
    expect(text).toMatch(/connection: keep-alive/i);
  }
});

test('a response pending at shutdown closes its connection, and later responses are written immediately', async () => {
  const batch = new ResponseBatch();
  let writtenAtClose = 0;
  const responses = await requestTwice(batch, (_, writtenCount) => {
    batch.close();
    writtenAtClose = writtenCount;
  });
  expect(responses.filter((text) => /connection: close/i.test(text))).not.toEqual([]);
  expect(responses.every((text) => text.endsWith('ok'))).toBe(true);
  expect(writtenAtClose).toBeGreaterThanOrEqual(1);
});
