// The web app manifest in each language, and the sizes of its icons.
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { DIRECTION, LANGUAGES, LOCALE } from '#platform/languages.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

type ManifestIcon = { src: string; sizes: string; type: string; purpose: string };
type AppManifest = {
  description: string;
  lang: string;
  dir: string;
  icons: ManifestIcon[];
  shortcuts: { name: string; url: string }[];
};

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});

const readManifest = async (query = '', headers = {}): Promise<AppManifest> => {
  const response = await server.client().get(`/manifest.webmanifest${query}`, headers);
  expect(response.headers['content-type']).toMatch(/^application\/manifest\+json/);
  expect(response.headers['cache-control']).toBe('no-cache');
  return JSON.parse(response.text);
};

test('the manifest has the strings and direction of each language', async () => {
  const manifests = await Promise.all(
    LANGUAGES.map((language) => readManifest(`?language=${language}`)),
  );
  expect(manifests.map(({ lang, dir }) => [lang, dir])).toEqual(
    LANGUAGES.map((language) => [LOCALE[language], DIRECTION[language]]),
  );
  expect(new Set(manifests.map(({ description }) => description)).size).toBe(LANGUAGES.length);
  for (const { description, shortcuts } of manifests) {
    expect(description).not.toContain('app.');
    expect(shortcuts.every(({ name, url }) => !name.includes('app.') && url.startsWith('/'))).toBe(
      true,
    );
  }
});

test("a manifest without a language parameter uses the browser's language", async () => {
  expect((await readManifest('', { 'accept-language': 'fa-IR,en;q=0.5' })).lang).toBe('fa');
  expect((await readManifest('?language=nonsense')).lang).toBe('en');
});

test('each icon has its declared size, and maskable icons have no transparent pixels', async () => {
  const { icons } = await readManifest();
  const purposes = icons.map(({ purpose, sizes }) => `${purpose} ${sizes}`);
  for (const purpose of ['any 192x192', 'any 512x512', 'maskable 512x512'])
    expect(purposes).toContain(purpose);
  for (const { src, sizes, type, purpose } of icons) {
    const icon = sharp(join(import.meta.dirname, '../platform/web/public', src));
    const { width, height, format } = await icon.metadata();
    expect(`image/${format}${format === 'svg' ? '+xml' : ''}`).toBe(type);
    if (sizes !== 'any') expect(`${width}x${height}`).toBe(sizes);
    if (purpose === 'maskable') expect((await icon.stats()).isOpaque).toBe(true);
  }
});
