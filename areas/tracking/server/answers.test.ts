import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { Answers } from './answers.ts';

/** Sends two concurrent requests; `onCount` is called for each request after its response. */
async function requestTwice(answers: Answers, onCount: (count: number, left: number) => void) {
  let count = 0;
  let left = 0;
  const server = createServer((_, response) => {
    response.on('prefinish', () => left++);
    answers.give(response, 200, { 'content-length': '2', 'x-kind': 'picture' }, 'ok');
    onCount(++count, left);
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
  const leftThen: number[] = [];
  const texts = await requestTwice(new Answers(), (count, left) => leftThen.push(count - left));
  expect(Math.min(...leftThen)).toBeGreaterThanOrEqual(1);
  for (const text of texts) {
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*x-kind: picture\r\n/i);
    expect(text).toMatch(/connection: keep-alive/i);
  }
});

test('a response pending at shutdown closes its connection, and later responses are immediate', async () => {
  const answers = new Answers();
  let leftAtEnd = 0;
  const texts = await requestTwice(answers, (_, left) => {
    answers.close();
    leftAtEnd = left;
  });
  expect(texts.filter((text) => /connection: close/i.test(text))).not.toEqual([]);
  expect(texts.every((text) => text.endsWith('ok'))).toBe(true);
  expect(leftAtEnd).toBeGreaterThanOrEqual(1);
});
