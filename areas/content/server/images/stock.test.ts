// Stock image adapters read responses as documented by their services; a chosen image is imported
// into the library.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGiphyProvider } from '#providers/giphy/index.ts';
import gif from '#providers/giphy/recorded/gif.json' with { type: 'json' };
import gifs from '#providers/giphy/recorded/search.json' with { type: 'json' };
import { createPexelsProvider } from '#providers/pexels/index.ts';
import photo from '#providers/pexels/recorded/photo.json' with { type: 'json' };
import photos from '#providers/pexels/recorded/search.json' with { type: 'json' };
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { testServer } from '#testing/setup/server.ts';
import { importStockImage, searchStock } from './stock.ts';
import type { StockProvider } from './stock-provider.ts';

const server = await testServer();
const ada = await server.owner();
let service: Server;
let base: string;
let providers: StockProvider[];
let requests: { url: URL; key: string | undefined }[] = [];
let providerResponse: { status: number; body: unknown } = { status: 200, body: {} };
let imageBytes: Buffer;

beforeAll(async () => {
  const imageOptions = { width: 60, height: 40, channels: 3 as const, background: '#406080' };
  imageBytes = await sharp({ create: imageOptions }).png().toBuffer();
  service = createServer((request, response) => {
    const url = new URL(request.url ?? '', base);
    if (url.pathname === '/file') {
      response.writeHead(200, { 'content-type': 'image/png' }).end(imageBytes);
      return;
    }
    requests.push({ url, key: request.headers.authorization });
    response.writeHead(providerResponse.status, { 'content-type': 'application/json' });
    response.end(
      typeof providerResponse.body === 'string'
        ? providerResponse.body
        : JSON.stringify(providerResponse.body),
    );
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  providers = [
    createPexelsProvider({ key: 'secret-key', url: base }),
    createGiphyProvider({ key: 'other-key', url: base }),
  ];
});
afterAll(() => {
  allowPrivateAddresses(false);
  service.close();
});
beforeEach(() => {
  requests = [];
  allowPrivateAddresses(true);
});

const search = (source: 'photos' | 'gifs', page = 1) =>
  searchStock(providers, { source, search: 'tea & cake', page }, 'nor');

test('photos are searched in the language of the user', async () => {
  providerResponse = { status: 200, body: photos };
  const results = await search('photos', 2);
  expect(results).toEqual({
    images: [
      {
        id: '3573351',
        title: 'Brown Rocks During Golden Hour',
        preview_url: photos.photos[0]?.src.medium,
        width: 3066,
        height: 3968,
        author: 'Lukas Rodriguez',
        author_url: 'https://www.pexels.com/@lukas-rodriguez-1845331',
      },
    ],
    has_more: true,
  });
  const [{ url, key } = { url: new URL(base), key: '' }] = requests;
  expect([url.pathname, key]).toEqual(['/v1/search', 'secret-key']);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    query: 'tea & cake',
    page: '2',
    per_page: '24',
    locale: 'nb-NO',
  });
});

test('a GIF search requests G-rated results page by page', async () => {
  providerResponse = { status: 200, body: gifs };
  const results = await search('gifs', 2);
  expect(results.has_more).toBe(true);
  expect(results.images).toEqual([
    {
      id: 'YsTs5ltWtEhnq',
      title: 'Happy Dancing GIF',
      preview_url: 'https://media1.giphy.com/media/YsTs5ltWtEhnq/200w.gif',
      width: 500,
      height: 281,
      author: 'JoeCool4000',
      author_url: 'https://giphy.com/joecool4000/',
    },
  ]);
  const query = Object.fromEntries(requests[0]?.url.searchParams ?? []);
  expect(query).toMatchObject({ api_key: 'other-key', offset: '24', rating: 'g', lang: 'nb' });
});

test('the last page of search results is recognized', async () => {
  providerResponse = { status: 200, body: { photos: [] } };
  expect(await search('photos')).toEqual({ images: [], has_more: false });
  const lastPage = { ...gifs.pagination, total_count: 1 };
  providerResponse = { status: 200, body: { ...gifs, pagination: lastPage } };
  expect((await search('gifs')).has_more).toBe(false);
});

test.each([
  [429, {}],
  [401, 'Unauthorized'],
  [200, 'no JSON'],
  [200, { photos: [{ id: 'x' }], data: 1 }],
])('an unusable response with status %i is reported as unavailable', async (status, body) => {
  providerResponse = { status, body };
  for (const source of ['photos', 'gifs'] as const)
    await expect(search(source)).rejects.toMatchObject({ code: 'stock_unavailable' });
});

test('a chosen image is stored in the library only once', async () => {
  const [photoBody, gifBody] = [structuredClone(photo), structuredClone(gif)];
  photoBody.src.large2x = `${base}/file`;
  gifBody.data.images.downsized.url = `${base}/file`;
  providerResponse = { status: 200, body: photoBody };
  const storedImage = await importStockImage(server.db, ada, providers, {
    source: 'photos',
    id: '2014422',
  });
  expect(storedImage).toMatchObject({
    name: 'Brown Rocks During Golden Hour',
    width: 60,
    height: 40,
  });
  expect((await server.app.inject({ url: storedImage.src })).statusCode).toBe(200);
  providerResponse = { status: 200, body: gifBody };
  const secondImport = await importStockImage(server.db, ada, providers, {
    source: 'gifs',
    id: 'YsTs5',
  });
  expect(secondImport.id).toBe(storedImage.id);
});

test('a deleted image, an image in a private network, and an ID of another source are refused', async () => {
  const load = (id: string) =>
    importStockImage(server.db, ada, providers, { source: 'photos', id });
  providerResponse = { status: 404, body: {} };
  await expect(load('1')).rejects.toMatchObject({ code: 'not_found' });
  await expect(load('YsTs5ltWtEhnq')).rejects.toMatchObject({ code: 'not_found' });
  expect(requests).toHaveLength(1);
  allowPrivateAddresses(false);
  const photoBody = structuredClone(photo);
  photoBody.src.large2x = `${base}/file?secret`;
  providerResponse = { status: 200, body: photoBody };
  await expect(load('2')).rejects.toMatchObject({ code: 'stock_unavailable' });
});

test('sources without a key are not listed, and their searches and imports return 404', async () => {
  expect((await ada.get('/client-api/api/stock_sources')).body.data).toEqual([]);
  const url = '/client-api/api/stock_images';
  expect((await ada.get(`${url}?source=photos&search=tea`)).status).toBe(404);
  expect((await ada.get(`${url}?source=videos&search=tea`)).status).toBe(422);
  expect((await ada.post(url, { source: 'gifs', id: 'YsTs5' })).status).toBe(404);
});
