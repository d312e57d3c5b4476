// Calls have the format that the plug-in expects; a store without the plug-in causes an error.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { wordpressPlugin } from './index.ts';

const receivedCalls: { url: string; key: unknown; body: string }[] = [];
let status = 200;
const shop = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  receivedCalls.push({ url: String(request.url), key: request.headers['sender-api-key'], body });
  response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
});
shop.listen(0, '127.0.0.1');
await once(shop, 'listening');
afterAll(() => void shop.close());

test('the call contains the given token; 401, 404 and a private host lead to different errors', async () => {
  const domain = `127.0.0.1:${(shop.address() as AddressInfo).port}`;
  const { signal } = new AbortController();
  const message = { domain, token: 'sl_1_token', topic: 'import-shop-data' } as const;
  await wordpressPlugin({ isLocal: true })(message, signal);
  expect(receivedCalls).toEqual([
    {
      url: '/wp-json/sender-automated-emails/v2/webhook_handler',
      key: 'sl_1_token',
      body: '{"topic":"import-shop-data"}',
    },
  ]);
  status = 401;
  await expect(wordpressPlugin({ isLocal: true })(message, signal)).rejects.toMatchObject({
    code: 'refused',
  });
  status = 404;
  await expect(wordpressPlugin({ isLocal: true })(message, signal)).rejects.toMatchObject({
    code: 'not_a_shop',
  });
  // Hosts on this machine or in its network are refused as stores.
  await expect(wordpressPlugin()(message, signal)).rejects.toMatchObject({ code: 'unreachable' });
  expect(receivedCalls).toHaveLength(3);
});
