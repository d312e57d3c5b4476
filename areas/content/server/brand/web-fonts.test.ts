// Web fonts served by this installation: fetched once from a stub of their source, stored, and
// served publicly, but only families and files on the product's list.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test, vi } from 'vitest';
import { files } from '#platform/server/files/files.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import type { Font } from '../../fonts.ts';
import { findFontFaces, parseFaces, findWebFontBySlug } from './web-fonts.ts';

const requests: string[] = [];
const face = (weight: number, range: string, file: string) =>
  `@font-face { font-family: 'Inter'; font-style: normal; font-weight: ${weight}; src: url(https://fonts.bunny.net/inter/files/${file}.woff2) format('woff2'), url(https://fonts.bunny.net/inter/files/${file}.woff) format('woff'); unicode-range: ${range}; }`;
const SHEET = [
  face(400, 'U+0000-00FF, U+0131', 'inter-latin-400-normal'),
  face(700, 'U+0000-00FF, U+0131', 'inter-latin-700-normal'),
  face(400, 'U+0400-045F', 'inter-cyrillic-400-normal'),
].join('\n');

let server: TestServer;
beforeAll(async () => {
  const source = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (request.url?.startsWith('/css?family=inter:')) return response.end(SHEET);
    if (request.url?.endsWith('latin-400-normal.woff2')) return response.end('wOF2 and so on');
    if (request.url?.endsWith('latin-700-normal.woff2'))
      return response.end('<html>no font</html>');
    return response.writeHead(404).end();
  });
  await new Promise<void>((settle) => source.listen(0, '127.0.0.1', settle));
  server = await testServer({
    FONTS_URL: `http://127.0.0.1:${(source.address() as AddressInfo).port}`,
  });
  return () => source.close();
});

test('a font family is fetched once, and its files are served to any site', async () => {
  const visitor = server.client();
  const faces = await visitor.get('/i/fonts/inter.json?w=400');
  expect(faces.status, faces.text).toBe(200);
  expect(faces.headers['access-control-allow-origin']).toBe('*');
  expect(faces.body).toEqual([
    { weight: 400, range: 'U+0000-00FF,U+0131', file: 'inter-latin-400-normal.woff2' },
    { weight: 400, range: 'U+0400-045F', file: 'inter-cyrillic-400-normal.woff2' },
  ]);
  for (let times = 0; times < 2; times++) {
    const file = await visitor.get('/i/fonts/inter/inter-latin-400-normal.woff2');
    expect(file.status).toBe(200);
    expect(file.headers).toMatchObject({
      'content-type': 'font/woff2',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  }
  const sheet = await visitor.get('/i/fonts/inter.css?w=700');
  expect(sheet.text).toContain("url(/i/fonts/inter/inter-latin-700-normal.woff2) format('woff2')");
  expect(sheet.text).not.toContain('font-weight:400');
  expect(sheet.text).not.toContain('bunny');
  expect(requests.filter((url) => url.includes('css'))).toHaveLength(1);
  expect(requests.filter((url) => url.includes('latin-400'))).toHaveLength(1);
});

test('an unknown font is never fetched, and a file that the source does not have is not served', async () => {
  const visitor = server.client();
  const requestsBefore = requests.length;
  for (const path of [
    'unknown.json',
    'arial.css',
    'inter/other.woff2',
    'inter/..%2F..%2Fsecret.woff2',
    'inter/faces.json',
  ])
    expect((await visitor.get(`/i/fonts/${path}`)).status, path).toBe(404);
  expect(requests).toHaveLength(requestsBefore);
  // An HTML page instead of a font is refused.
  expect((await visitor.get('/i/fonts/inter/inter-latin-700-normal.woff2')).status).toBe(404);
  // A missing family has no rules and is cached only briefly.
  const unavailable = await visitor.get('/i/fonts/lato.css?w=400');
  expect([unavailable.status, unavailable.text, unavailable.headers['cache-control']]).toEqual([
    200,
    '',
    'public, max-age=60',
  ]);
});

test('only upright faces with a numeric weight are used, and their file names contain no path', () => {
  expect(
    parseFaces(
      `${face(400, 'U+0041', 'ok')}${face(400, 'U+0041', '../evil')}${face(400, 'U+0041', 'a"b')}@font-face{font-style:italic;font-weight:400;src:url(/x/it.woff2)}@font-face{font-weight:bold;src:url(/x/b.woff2)}`,
    ).map(({ file }) => file),
  ).toEqual(['ok.woff2', 'evil.woff2']);
});

test('a failure of the file store is not cached', async () => {
  const font = findWebFontBySlug('roboto') as Font;
  vi.spyOn(files, 'get').mockRejectedValueOnce(new Error('The file store is unreachable'));
  await expect(findFontFaces(font)).rejects.toThrow('unreachable');
  expect(await findFontFaces(font)).toEqual([]);
});
