// Every built-in service accepts direct requests from this machine only. Routes are discovered, so
// new built-ins are covered automatically.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '#platform/server/config.ts';
import { linkTestTools } from '#platform/server/http/test-tool-links.ts';
import { log } from '#platform/server/log.ts';
import { startInbox } from '#providers/inbox/index.ts';
import { TEST_SECRET } from '#testing/setup/server.ts';
import { builtInPlugins } from './built-ins.ts';

const FORWARDING = [
  'forwarded',
  'via',
  'x-forwarded',
  'x-forwarded-by',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-real-ip',
  'x-original-forwarded-for',
  'x-cluster-client-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
];

async function allBuiltIns() {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), `sendloom-test-${process.pid}-built-ins-`));
  const config = loadConfig({
    NODE_ENV: 'test',
    SECRET: TEST_SECRET,
    DATA_DIR: dataDir,
    BILLING: 'test',
  });
  const inbox = await startInbox({ dataDir, port: 0, log });
  const app = Fastify({ routerOptions: { maxParamLength: 500 } });
  app.setErrorHandler<{ code?: string }>(({ code }, _, reply) =>
    reply.status(code === 'not_found' ? 404 : 500).send(),
  );
  const routes: { method: string; url: string }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const concreteUrl = url.replace(/:\w+|\*/g, '1');
    for (const httpMethod of [method].flat()) routes.push({ method: httpMethod, url: concreteUrl });
  });
  for (const plugin of await builtInPlugins(config, inbox)) await app.register(plugin);
  await app.ready();
  onTestFinished(async () => {
    await app.close();
    await inbox.close();
    await rm(dataDir, { recursive: true });
  });
  return { app, routes };
}

test('the built-ins accept only direct loopback requests, not proxied ones', async () => {
  const { app, routes } = await allBuiltIns();
  const requestStatus = async (
    { method, url }: { method: string; url: string },
    headers: Record<string, string> = {},
    remoteAddress = '127.0.0.1',
  ) => {
    const host = 'localhost:3000';
    const injectOptions = {
      method: method as 'GET',
      url,
      headers: { host, ...headers },
      remoteAddress,
    };
    const response = await app.inject(injectOptions);
    return response.statusCode;
  };
  const pages = ['/inbox', '/phone', '/hook-box', '/gateway', '/shop/pictures/101.svg'].map(
    (url) => ({
      method: 'GET',
      url,
    }),
  );
  for (const page of pages) {
    expect(await requestStatus(page), page.url).toBe(200);
    expect(await requestStatus(page, { host: 'app.localhost:3000' }), page.url).toBe(200);
    expect(await requestStatus(page, { host: '127.0.0.1' }, '::1'), page.url).toBe(200);
  }
  linkTestTools(['inbox', 'phone', 'cards', 'shop', 'hooks']);
  for (const url of ['/inbox', '/phone', '/hook-box', '/gateway']) {
    const { body } = await app.inject({ url, headers: { host: 'localhost:3000' } });
    for (const link of ['/inbox', '/phone', '/hook-box', '/gateway', '/shop', '/test-tools'])
      expect(body, `${url} to ${link}`).toContain(`href="${link}"`);
  }
  const names = new Set(routes.map(({ url }) => url.split('/')[1]));
  expect([...names].sort()).toEqual(
    expect.arrayContaining(['gateway', 'hook-box', 'inbox', 'phone', 'shop']),
  );
  for (const route of routes) {
    const routeName = `${route.method} ${route.url}`;
    for (const name of FORWARDING)
      expect(await requestStatus(route, { [name]: '127.0.0.1' }), `${routeName} with ${name}`).toBe(
        404,
      );
    for (const host of ['news.shop.example', 'localhost.evil.example', '192.168.1.5:3000'])
      expect(await requestStatus(route, { host }), `${routeName} as ${host}`).toBe(404);
    expect(
      await requestStatus(route, { origin: 'https://evil.example' }),
      `${routeName} by a page`,
    ).toBe(404);
    expect(await requestStatus(route, {}, '192.168.1.7'), `${routeName} from afar`).toBe(404);
  }
});

test('the hook box, the test cards and the test bank use the browser’s language', async () => {
  const { app } = await allBuiltIns();
  const post = async (url: string, payload: object) =>
    (await app.inject({ method: 'POST', url, headers: { host: 'localhost' }, payload })).json();
  await post('/hook-box/in', { topic: '<b>' });
  const { nonce } = await post('/gateway/tokenize', { number: '4000000000003220' });
  const { id } = await post('/gateway/api/charges', {
    ...{ key: 'charge', order: 'order', amount: 2_900, currency: 'usd', nonce },
  });
  const expectedTexts = {
    eng: ['en', 'ltr', 'Signature invalid', 'Waits for the bank', 'Confirm your payment'],
    fas: ['fa', 'rtl', 'امضا نامعتبر است', 'منتظر بانک', 'پرداخت خود را تأیید کنید'],
  };
  for (const [locale = '', direction, hooks, charges, bank] of Object.values(expectedTexts)) {
    const headers = { host: 'localhost', 'accept-language': locale };
    const pages = { '/hook-box': hooks, '/gateway': charges, [`/gateway/bank/${id}`]: bank };
    for (const [url, text] of Object.entries(pages)) {
      const { body } = await app.inject({ url, headers });
      expect(body).toContain(`<html lang="${locale}" dir="${direction}">`);
      expect(body).toContain(text);
      // The page shows no keys of missing texts and no part of a delivery as markup.
      expect(body).not.toMatch(/>\w+\.\w+<|<b>/);
    }
  }
});
