// A page of the web client names what its screen needs, in the language that it will speak.
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import cookie from '@fastify/cookie';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientPage } from './client-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'sendloom-client-'));
const app = fastify();

beforeAll(async () => {
  writeFileSync(join(folder, 'index.html'), '<html><head><title>$&</title></head></html>');
  const of = (path: string, name: string) => ({
    path,
    scripts: [`assets/${name}.js`],
    styles: [`assets/${name}.css`],
    texts: { eng: [`assets/${name}-eng.js`], fas: [`assets/${name}-fas.js`] },
  });
  const list = [of('/groups/$group', 'group'), of('/groups/create', 'create'), of('/', 'home')];
  writeFileSync(join(folder, 'preloads.json'), JSON.stringify(list));
  await app.register(cookie);
  app.setNotFoundHandler(clientPage(folder));
});

afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const filesIn = (html: string) =>
  Array.from(html.matchAll(/href="\/assets\/([^"]+)"/g), (m) => m[1]);
const pageOf = async (url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers });

test('fixed paths stand before those with an id, whatever is asked beside; others name nothing', async () => {
  const names = async (url: string) => filesIn((await pageOf(url)).body);
  expect(await names('/groups/create')).toEqual(['create.css', 'create-eng.js', 'create.js']);
  expect(await names('/groups/k3?page=2')).toEqual(['group.css', 'group-eng.js', 'group.js']);
  expect(await names('/')).toEqual(['home.css', 'home-eng.js', 'home.js']);
  expect(await names('/groups/k3/more')).toEqual([]);
  expect((await pageOf('/elsewhere')).body).toContain('<title>$&</title>');
});

test('texts are of the language that was shown last, else of the browser’s', async () => {
  const texts = async (headers: Record<string, string>) =>
    filesIn((await pageOf('/', headers)).body).filter((file) => file?.includes('-'));
  expect(await texts({ cookie: 'language=fas', 'accept-language': 'en' })).toEqual(['home-fas.js']);
  expect(await texts({ 'accept-language': 'fa-IR,en;q=0.5' })).toEqual(['home-fas.js']);
  expect(await texts({ cookie: 'language=%22%3E%3Cscript%3E' })).toEqual(['home-eng.js']);
});

test('it is sent as small as the browser reads it, and not again where it is known', async () => {
  const { headers, rawPayload } = await pageOf('/', { 'accept-encoding': 'gzip, br' });
  expect(headers).toMatchObject({ 'content-encoding': 'br', 'cache-control': 'no-cache' });
  expect(brotliDecompressSync(rawPayload).toString()).toBe((await pageOf('/')).body);
  const known = await pageOf('/', { 'if-none-match': String(headers.etag) });
  expect([known.statusCode, known.body]).toEqual([304, '']);
});

test('a new build is named at once, by a server that goes on', async () => {
  const index = join(folder, 'index.html');
  const before = (await pageOf('/')).headers.etag;
  writeFileSync(index, '<html><head><title>Next</title></head></html>');
  utimesSync(index, new Date(), new Date(Date.now() + 5_000));
  const { body, headers } = await pageOf('/', { 'if-none-match': String(before) });
  expect(body).toContain('<title>Next</title>');
  expect(headers.etag).not.toBe(before);
});
