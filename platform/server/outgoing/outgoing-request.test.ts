import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { allowPrivateAddresses, PrivateAddressError } from './outgoing-address.ts';
import { callPublic } from './outgoing-call.ts';
import { probe } from './outgoing-request.ts';

let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const { url = '' } = request;
    if (url === '/loop') return response.writeHead(302, { location: '/loop' }).end();
    if (url === '/moved') return response.writeHead(301, { location: '/fine' }).end();
    if (url === '/silent') return undefined;
    if (url === '/endless') {
      response.writeHead(200);
      return response.write('x'.repeat(1_000_000));
    }
    return response.writeHead(url === '/fine' ? 200 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => allowPrivateAddresses(false));

test('a probe returns the status after redirects', async () => {
  allowPrivateAddresses(true);
  expect(await probe(`${base}/fine`, 2000)).toBe(200);
  expect(await probe(`${base}/moved`, 2000)).toBe(200);
  expect(await probe(`${base}/gone`, 2000)).toBe(404);
  expect(await probe(`${base}/endless`, 2000)).toBe(200);
});

test('a probe fails on redirect loops, silence and invalid URLs', async () => {
  allowPrivateAddresses(true);
  await expect(probe(`${base}/loop`, 2000)).rejects.toThrow('too many times');
  await expect(probe(`${base}/silent`, 200)).rejects.toThrow(/abort|time/i);
  await expect(probe('ftp://shop.example/', 200)).rejects.toThrow('ftp:');
  await expect(probe('nonsense', 200)).rejects.toThrow('Invalid URL');
});

test('a probe refuses private networks', async () => {
  await expect(probe(`${base}/fine`, 2000)).rejects.toThrow(PrivateAddressError);
  await expect(probe('http://[::1]:1/', 2000)).rejects.toThrow(PrivateAddressError);
  await expect(probe('http://localhost:1/', 2000)).rejects.toThrow(PrivateAddressError);
});

test('a call to a public host does not reuse a socket opened by an internal call', async () => {
  const address = `${base.replace('127.0.0.1', 'localhost')}/fine`;
  const call = { method: 'GET' as const, timeoutMs: 2000, maxBytes: 1000 };
  const connections = new Set<unknown>();
  server.on('connection', (socket) => connections.add(socket));
  for (let i = 0; i < 2; i++)
    expect((await callPublic(address, { ...call, isTrusted: true })).status).toBe(200);
  expect(connections.size).toBe(1);
  await expect(callPublic(address, call)).rejects.toThrow(PrivateAddressError);
});
