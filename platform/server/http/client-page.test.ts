// Pages of the web client: each preloads its screen's scripts, styles and text catalogs. A
// signed-in user's page also contains the responses to the screen's first calls.
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import cookie from '@fastify/cookie';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { clock } from '../clock.ts';
import { clientPage } from './client-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'sendloom-client-'));
const app = fastify();
/** The IDs that `/client-api/api/groups/:id` was called with, in order. */
let calledGroups: string[] = [];

beforeAll(async () => {
  const page = '<html><head><title>$&</title></head><body></body></html>';
  writeFileSync(join(folder, 'index.html'), page);
  const preload = (path: string, name: string) => ({
    path,
    scripts: [`assets/${name}.js`],
    styles: [`assets/${name}.css`],
    texts: { eng: [`assets/${name}-eng.js`], fas: [`assets/${name}-fas.js`] },
  });
  const group = { ...preload('/groups/$group', 'group'), calls: ['/client-api/api/groups/$group'] };
  const growthCalls = ['/client-api/api/growth?$month', '/client-api/api/growth?$month_before'];
  const home = { ...preload('/', 'home'), wide: ['assets/panel.js'] };
  const growth = { ...preload('/growth', 'growth'), calls: growthCalls };
  const people = { ...preload('/people', 'people'), calls: ['/client-api/api/people?page=1'] };
  const preloads = [group, preload('/groups/create', 'create'), home, growth, people];
  writeFileSync(join(folder, 'preloads.json'), JSON.stringify(preloads));
  await app.register(cookie);
  app.get('/client-api/api/users', async ({ cookies, headers }, reply) => {
    if (cookies.token !== 'mine' && cookies.token !== 'other') return reply.code(401).send({});
    const account = { id: `account of ${cookies.token}`, timezone: 'Pacific/Auckland' };
    return { data: { name: '</script><b>', agent: headers['user-agent'], account } };
  });
  app.get('/client-api/api/growth', async ({ query }) => ({ data: query }));
  app.get('/client-api/api/people', async ({ query }) => ({ data: query }));
  app.get('/client-api/api/groups/:id', async ({ params }, reply) => {
    const { id } = params as { id: string };
    calledGroups.push(id);
    if (id.startsWith('slow')) await delay(1_000);
    const images = [1, 1, 2, 3, 4, 5].map((n) => `/i/art/${n}.png`);
    return id === 'gone' ? reply.code(404).send({}) : { data: id, pictures: images };
  });
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

test('fixed paths match before paths with an ID, with or without a query, and unknown paths preload nothing', async () => {
  const names = async (url: string) => filesIn((await pageOf(url)).body);
  expect(await names('/groups/create')).toEqual(['create.css', 'create-eng.js', 'create.js']);
  expect(await names('/groups/k3?page=2')).toEqual(['group.css', 'group-eng.js', 'group.js']);
  expect(await names('/')).toEqual(['home.css', 'home-eng.js', 'home.js', 'panel.js']);
  // Only windows that show the side panel preload its script.
  expect((await pageOf('/')).body).toContain(
    '<link rel="modulepreload" media="(min-width: 901px)" crossorigin href="/assets/panel.js">',
  );
  expect(await names('/groups/k3/more')).toEqual([]);
  expect((await pageOf('/elsewhere')).body).toContain('<title>$&</title>');
});

test("preloaded catalogs are in the language last shown, or else the browser's, or else English", async () => {
  const listTextFiles = async (headers: Record<string, string>) =>
    filesIn((await pageOf('/', headers)).body).filter((file) => file?.includes('-'));
  expect(await listTextFiles({ cookie: 'language=fas', 'accept-language': 'en' })).toEqual([
    'home-fas.js',
  ]);
  expect(await listTextFiles({ 'accept-language': 'fa-IR,en;q=0.5' })).toEqual(['home-fas.js']);
  expect(await listTextFiles({ cookie: 'language=%22%3E%3Cscript%3E' })).toEqual(['home-eng.js']);
});

test("an anonymous visitor's page is compressed if the browser supports it, and not resent if cached", async () => {
  const { headers, rawPayload } = await pageOf('/', { 'accept-encoding': 'gzip, br' });
  expect(headers).toMatchObject({ 'content-encoding': 'br', 'cache-control': 'no-cache' });
  expect(brotliDecompressSync(rawPayload).toString()).toBe((await pageOf('/')).body);
  const cachedPage = await pageOf('/', { 'if-none-match': String(headers.etag) });
  expect([cachedPage.statusCode, cachedPage.body]).toEqual([304, '']);
});

test('a running server serves a new build immediately', async () => {
  const index = join(folder, 'index.html');
  const before = (await pageOf('/')).headers.etag;
  writeFileSync(index, '<html><head><title>Next</title></head><body></body></html>');
  utimesSync(index, new Date(), new Date(Date.now() + 5_000));
  const { body, headers } = await pageOf('/', { 'if-none-match': String(before) });
  expect(body).toContain('<title>Next</title>');
  expect(headers.etag).not.toBe(before);
});

const ISLAND = /<script type="application\/json" id="early-answers">(.*?)<\/script>/;
async function earlyIn(url: string, headers: Record<string, string>) {
  const { body, headers: responseHeaders } = await pageOf(url, headers);
  const { 1: json } = ISLAND.exec(body) ?? [];
  expect(responseHeaders['cache-control']).toBe(json === undefined ? 'no-cache' : 'no-store');
  return json === undefined ? undefined : (JSON.parse(json) as Record<string, string>);
}

test("a signed-in user's page contains the responses to the screen's first calls and is never cached", async () => {
  const headers = { cookie: 'token=mine', 'user-agent': 'Firefox' };
  const group = await earlyIn('/groups/k3?page=2', headers);
  expect(Object.keys(group ?? {})).toEqual(['/client-api/api/users', '/client-api/api/groups/k3']);
  expect(JSON.parse(group?.['/client-api/api/users'] ?? '')).toEqual({
    data: {
      name: '</script><b>',
      agent: 'Firefox',
      account: { id: 'account of mine', timezone: 'Pacific/Auckland' },
    },
  });
  const compressedPage = await pageOf('/groups/k3', { ...headers, 'accept-encoding': 'br' });
  expect(brotliDecompressSync(compressedPage.rawPayload).toString()).toContain(
    'id="early-answers"',
  );
});

test('preloaded calls with dates cover the last thirty days and the thirty before, and are omitted if the URL has a query', async () => {
  clock.freeze(new Date('2026-03-31T12:30:00Z'));
  onTestFinished(() => clock.reset());
  const early = await earlyIn('/growth', { cookie: 'token=mine' });
  expect(Object.keys(early ?? {})).toEqual([
    '/client-api/api/users',
    '/client-api/api/growth?from=2026-03-03&to=2026-04-01',
    '/client-api/api/growth?from=2026-02-01&to=2026-03-02',
  ]);
  const withQuery = await earlyIn('/growth?range=7', { cookie: 'token=mine' });
  expect(Object.keys(withQuery ?? {})).toEqual(['/client-api/api/users']);
});

test("the call for the first page of a list has the preferences in the browser's cookie if they are valid", async () => {
  const firstCall = async (preferences: string) => {
    const cookies = `token=mine; list_preferences=${encodeURIComponent(preferences)}`;
    return Object.keys((await earlyIn('/people', { cookie: cookies })) ?? {}).at(-1);
  };
  const people = '/client-api/api/people?page=1';
  expect(await firstCall('limit=25&engagement=true')).toBe(`${people}&limit=25&engagement=true`);
  expect(await firstCall('engagement=true')).toBe(`${people}&engagement=true`);
  for (const invalid of ['', 'limit', 'limit=25&', '../users', 'limit=1#', 'a=%2e', '&limit=25'])
    expect(await firstCall(invalid), invalid).toBe(people);
  expect(await firstCall(`limit=${'9'.repeat(500)}`)).toBe(people);
  // Calls for a single object have no preferences.
  const cookie = 'token=mine; list_preferences=limit%3D25';
  expect(Object.keys((await earlyIn('/groups/k3', { cookie })) ?? {})).toContain(
    '/client-api/api/groups/k3',
  );
});

test('everything before the embedded responses is sent while the first calls still run', async () => {
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const headers = { cookie: 'token=mine', 'accept-encoding': 'br' };
  const { body } = await fetch(`${address}/groups/slow`, { headers });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  const parts: string[] = [];
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    parts.push(part.value);
  expect(parts[0]).toContain('assets/group.js');
  expect(parts[0]).not.toContain('early-answers');
  expect(parts.join('')).toMatch(/early-answers.*<\/body><\/html>$/s);
});

test('at most four pictures named in responses are preloaded, the first with high priority', async () => {
  const { body } = await pageOf('/groups/k3', { cookie: 'token=mine' });
  const imageMatches = body.matchAll(
    /<link rel="preload" as="image"(?: fetchpriority="high")? href="([^"]+)">/g,
  );
  expect(Array.from(imageMatches, ([, src]) => src)).toEqual(
    [1, 2, 3, 4].map((n) => `/i/art/${n}.png`),
  );
  expect(body.match(/fetchpriority="high" href="[^"]+"/g)).toEqual([
    'fetchpriority="high" href="/i/art/1.png"',
  ]);
});

test('an invalid ID in the path is not used in a call', async () => {
  for (const id of ['%2e%2e', '..%2Fusers', 'k3%3Fall=1', '$&', 'k3%23'])
    expect(Object.keys((await earlyIn(`/groups/${id}`, { cookie: 'token=mine' })) ?? {})).toEqual([
      '/client-api/api/users',
    ]);
});

test('pages without a valid session contain no responses, and failed or slow calls are left to the client', async () => {
  expect(await earlyIn('/groups/k3', {})).toBeUndefined();
  expect(await earlyIn('/', { cookie: 'token=ended' })).toBeUndefined();
  for (const id of ['gone', 'slow'])
    expect(Object.keys((await earlyIn(`/groups/${id}`, { cookie: 'token=mine' })) ?? {})).toEqual([
      '/client-api/api/users',
    ]);
});

test('a call that is late twice in a row for an account is left to the client for five minutes', async () => {
  clock.freeze(new Date('2026-03-31T12:30:00Z'));
  onTestFinished(() => clock.reset());
  calledGroups = [];
  const openPage = (path: string, token = 'mine') => earlyIn(path, { cookie: `token=${token}` });
  for (let attempt = 0; attempt < 3; attempt++) await openPage('/groups/slow2');
  expect(calledGroups).toEqual(['slow2', 'slow2']);
  // Other accounts and other calls of the same screen are not affected.
  await openPage('/groups/slow2', 'other');
  await openPage('/groups/k3');
  expect(calledGroups).toEqual(['slow2', 'slow2', 'slow2', 'k3']);
  clock.advance(5 * 60_000);
  // The call is late again, so the client makes it for another five minutes.
  for (let attempt = 0; attempt < 2; attempt++) await openPage('/groups/slow2');
  expect(calledGroups).toEqual(['slow2', 'slow2', 'slow2', 'k3', 'slow2']);
});
