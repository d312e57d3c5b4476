// Link check of a draft against a real server.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

const CAMPAIGNS = '/client-api/api/campaigns';
const STATUSES: Record<string, number> = {
  '/fine': 200,
  '/members': 403,
  '/gone': 404,
  '/ill': 503,
};
let server: TestServer;
let shop: Server;
let base: string;
let requests: string[] = [];

beforeAll(async () => {
  server = await testServer();
  shop = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(STATUSES[request.url ?? ''] ?? 200).end();
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
});
afterAll(() => {
  allowPrivateAddresses(false);
  shop.close();
});

async function draft(html: string) {
  const owner = await server.owner();
  // UTM parameters are not added to the checked URLs.
  const { data } = (await owner.post(CAMPAIGNS, { title: 'Spring', utm_campaign: 'spring' })).body;
  const update = await owner.put(`${CAMPAIGNS}/${data.id}/content`, {
    revision: data.revision,
    editor: 'html',
    html,
  });
  expect(update.status).toBe(200);
  return { owner, path: `${CAMPAIGNS}/${data.id}/checks/links` };
}

test('the check names broken and unreachable links, and requests each link once', async () => {
  allowPrivateAddresses(true);
  requests = [];
  const { owner, path } =
    await draft(`<p>Tea</p><a href="${base}/fine">a</a><a href="${base}/gone">b</a>
    <a href="${base}/gone">c</a><a href="${base}/members">d</a><a href="${base}/ill">e</a>
    <a href="http://127.0.0.1:1/">f</a><a href="https://shop.example/{{ firstname }}">g</a>
    <a href="mailto:tea@shop.example">h</a>`);
  const { body } = await owner.get(path);
  expect(body.data.map((row: { code: string; values: object }) => [row.code, row.values])).toEqual([
    ['link_broken', { url: `${base}/gone`, status: 404 }],
    ['link_broken', { url: `${base}/ill`, status: 503 }],
    ['link_unreachable', { url: 'http://127.0.0.1:1/' }],
  ]);
  expect(requests.sort()).toEqual(['/fine', '/gone', '/ill', '/members']);
  expect((await (await server.owner()).get(path)).status).toBe(404);
});

test('a link to a private network is reported as unreachable and never requested', async () => {
  allowPrivateAddresses(false);
  requests = [];
  const { owner, path } = await draft(`<p>Tea</p><a href="${base}/fine">a</a>`);
  expect((await owner.get(path)).body.data).toMatchObject([{ code: 'link_unreachable' }]);
  expect(requests).toEqual([]);
});
