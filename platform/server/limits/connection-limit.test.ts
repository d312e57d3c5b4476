// The connections of one network and the waiting tasks of one key are limited.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { limitConnections } from './connection-limit.ts';
import { createSerialRunner } from './one-at-a-time.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serverWith(isExempt?: () => boolean): Promise<() => Promise<[Socket, string]>> {
  const server = createServer((socket) => socket.on('error', () => {}).write('220 Ready\r\n'));
  limitConnections(server, {
    maxPerNetwork: 2,
    refusalMessage: '421 Too many\r\n',
    ...(isExempt && { isExempt }),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  closers.push(() => server.close());
  return async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    closers.push(() => socket.destroy());
    const [greeting] = await once(socket, 'data');
    return [socket, String(greeting).slice(0, 3)];
  };
}

test('the number of connections from one network is limited, and closing one frees a slot', async () => {
  const openServer = await serverWith(() => false);
  const [first, greeting] = await openServer();
  expect([greeting, (await openServer())[1], (await openServer())[1]]).toEqual([
    '220',
    '220',
    '421',
  ]);
  first.destroy();
  await expect.poll(async () => (await openServer())[1]).toBe('220');
});

test('connections from a load balancer in a private network are not limited', async () => {
  const openServer = await serverWith();
  for (let i = 0; i < 5; i++) expect((await openServer())[1]).toBe('220');
});

test('tasks with one key run in order, other keys run concurrently, and excess tasks are refused', async () => {
  const run = createSerialRunner(3);
  const order: string[] = [];
  const task =
    (name: string, fails = false) =>
    async () => {
      order.push(`${name} starts`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
      if (fails) throw new Error(name);
    };
  const [one, two, three, four, other] = await Promise.allSettled([
    run('a', task('one')),
    run('a', task('two', true)),
    run('a', task('three')),
    run('a', task('four')),
    run('b', task('other')),
  ]);
  expect(order.filter((step) => !step.startsWith('other'))).toEqual(
    ['one', 'two', 'three'].flatMap((name) => [`${name} starts`, `${name} ends`]),
  );
  expect([one, two, three, four, other].map(({ status }) => status)).toEqual([
    ...['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  ]);
  expect(four).toMatchObject({ value: undefined });
  expect(order.indexOf('other starts')).toBeLessThan(order.indexOf('two starts'));
});
