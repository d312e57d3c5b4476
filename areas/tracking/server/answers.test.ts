// Tracking responses are written together after all concurrent requests, and immediately during a
// shutdown.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { Answers } from './answers.ts';

/**
 * Sends two concurrent requests; `onCount` gets the numbers of given and of written responses after
 * each request.
 * @returns the responses as received
 */
async function requestTwice(answers: Answers, onCount: (given: number, written: number) => void) {
  let count = 0;
  let written = 0;
  const server = createServer((_, response) => {
    response.on('prefinish', () => written++);
    answers.give(response, 200, { 'content-length': '2', 'x-kind': 'picture' }, 'ok');
    onCount(++count, written);
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
  const texts = await Promise.all([request(), request()]);
  await new Promise((resolve) => server.close(resolve));
  return texts;
}

test('a response is written after all concurrent requests are handled, and keeps its connection', async () => {
  const pendingCounts: number[] = [];
  const texts = await requestTwice(new Answers(), (count, written) =>
    pendingCounts.push(count - written),
  );
  expect(Math.min(...pendingCounts)).toBeGreaterThanOrEqual(1);
  for (const text of texts) {
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*x-kind: picture\r\n/i);
    expect(text).toMatch(/connection: keep-alive/i);
  }
});

test('a response pending at shutdown closes its connection, and later responses are immediate', async () => {
  const answers = new Answers();
  let writtenAtClose = 0;
  const texts = await requestTwice(answers, (_, written) => {
    answers.close();
    writtenAtClose = written;
  });
  expect(texts.filter((text) => /connection: close/i.test(text))).not.toEqual([]);
  expect(texts.every((text) => text.endsWith('ok'))).toBe(true);
  expect(writtenAtClose).toBeGreaterThanOrEqual(1);
});
