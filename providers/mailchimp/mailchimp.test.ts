// An undocumented response of Mailchimp or GetResponse is reported as an error of the service, not
// as an internal error.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getresponse } from '#providers/getresponse/index.ts';
import { mailchimp } from './index.ts';

let service: Server;
let base: string;
let responseBody = '';

beforeAll(async () => {
  service = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(responseBody);
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});

afterAll(() => {
  service.close();
});

const KEYS = { mailchimp: `${'0123456789abcdef'.repeat(2)}-us1`, getresponse: 'a'.repeat(32) };

test.each([
  'null',
  '17',
  '"lists"',
  '[null]',
  '[{"name":"without an id"}]',
  '{"lists":{}}',
  '{"lists":[null]}',
  '{"lists":[{"id":1,"name":"a number"}]}',
])('the response %s is reported as a service error', async (body) => {
  responseBody = body;
  for (const provider of [mailchimp({ baseUrl: base }), getresponse({ baseUrl: base })]) {
    const listing = provider.lists(KEYS[provider.name], AbortSignal.timeout(5_000));
    await expect(listing).rejects.toMatchObject({ code: 'service_unavailable' });
  }
});

test('a documented response is read', async () => {
  responseBody = '{"lists":[{"id":"a1","name":"News","stats":{"member_count":3}}]}';
  const signal = AbortSignal.timeout(5_000);
  expect(await mailchimp({ baseUrl: base }).lists(KEYS.mailchimp, signal)).toEqual([
    { id: 'a1', title: 'News', subscriberCount: 3 },
  ]);
  responseBody = '[{"campaignId":"b2","name":"Tea"}]';
  expect(await getresponse({ baseUrl: base }).lists(KEYS.getresponse, signal)).toEqual([
    { id: 'b2', title: 'Tea', subscriberCount: 0 },
  ]);
});
