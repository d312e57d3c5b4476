// Video thumbnails from a server that responds like YouTube and Vimeo.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { testServer } from '#testing/setup/server.ts';
import { parseVideo } from '../../video-address.ts';
import { importVideoThumbnail, type VideoHosts } from './video-thumbnail.ts';

const server = await testServer();
const ada = await server.owner();
let service: Server;
let base: string;
let hosts: VideoHosts;
let requests: string[] = [];

/** Creates an image of this size, including black bars of `bar` pixels at the top and bottom. */
function createImage(width: number, height: number, bar = 0): Promise<Buffer> {
  const middle = { width, height: height - 2 * bar, channels: 3 as const, background: '#c03020' };
  return sharp({ create: middle })
    .extend({ top: bar, bottom: bar, background: '#000000' })
    .jpeg()
    .toBuffer();
}

beforeAll(async () => {
  const images: Record<string, Buffer> = {
    '/vi/aaaaaaaaaaa/maxresdefault.jpg': await createImage(1280, 720),
    '/vi/bbbbbbbbbbb/hqdefault.jpg': await createImage(480, 360, 45),
    '/vimeo.jpg': await createImage(1280, 536),
  };
  service = createServer((request, response) => {
    const url = new URL(request.url ?? '', base);
    requests.push(url.pathname);
    const image = images[url.pathname];
    const page = url.searchParams.get('url') ?? '';
    if (image) response.writeHead(200, { 'content-type': 'image/jpeg' }).end(image);
    else if (page.endsWith('aaaaaaaaaaa')) response.end(JSON.stringify({ title: ' How  to tea ' }));
    else if (page === 'https://vimeo.com/123456789/abcdef1234')
      response.end(JSON.stringify({ title: 'Leaves', thumbnail_url: `${base}/vimeo.jpg` }));
    else if (page.endsWith('/404404404'))
      response.end(JSON.stringify({ title: 'Odd', thumbnail_url: 'file:///etc/passwd' }));
    else if (page.endsWith('/505505505')) {
      // From now on the server is treated as private, as if the thumbnail were on a private host.
      allowPrivateAddresses(false);
      response.end(JSON.stringify({ title: 'Odd', thumbnail_url: `${base}/vimeo.jpg` }));
    } else response.writeHead(404).end('Not Found');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  hosts = { youtube: base, youtubeImages: base, vimeo: base };
});
afterAll(() => {
  allowPrivateAddresses(false);
  service.close();
});

const load = (address: string) => {
  requests = [];
  allowPrivateAddresses(true);
  return importVideoThumbnail(server.db, ada, address, hosts);
};

test.each([
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=10s', 'youtube', 'dQw4w9WgXcQ'],
  ['https://youtu.be/dQw4w9WgXcQ?si=x', 'youtube', 'dQw4w9WgXcQ'],
  ['https://m.youtube.com/shorts/dQw4w9WgXcQ', 'youtube', 'dQw4w9WgXcQ'],
  ['https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ', 'youtube', 'dQw4w9WgXcQ'],
  ['https://vimeo.com/123456789', 'vimeo', '123456789'],
  ['https://player.vimeo.com/video/123456789?h=abcdef1234', 'vimeo', '123456789'],
  ['https://vimeo.com/channels/staffpicks/123456789', 'vimeo', '123456789'],
])('the video of %s is recognized', (address, name, id) => {
  expect(parseVideo(address)).toMatchObject({ service: name, id });
});

test.each([
  'https://www.youtube.com/@tea',
  'https://www.youtube.com/watch?v=../../etc',
  'https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ',
  'https://evil.example/https://youtu.be/dQw4w9WgXcQ',
  'ftp://vimeo.com/123456789',
  'https://vimeo.com/upload',
  'tea',
])('%s is not a video', (address) => {
  expect(parseVideo(address)).toBeUndefined();
});

test('the largest thumbnail of YouTube becomes an image with the title of the video', async () => {
  const { image, title } = await load('https://youtu.be/aaaaaaaaaaa');
  expect(title).toBe('How to tea');
  expect(image).toMatchObject({ name: 'How to tea', width: 1280, height: 720 });
  // Emails show a variant of the image with a play button.
  const play = await server.app.inject({ url: image.src.replace(/\.jpg$/, '-play.jpg') });
  expect(play.statusCode).toBe(200);
  const secondLoad = await load('https://www.youtube.com/watch?v=aaaaaaaaaaa');
  expect(secondLoad.image.id).toBe(image.id);
});

test('the black bars of a small thumbnail are cut off', async () => {
  const { image, title } = await load('https://youtu.be/bbbbbbbbbbb');
  expect([image.width, image.height, title]).toEqual([480, 270, '']);
  const file = await server.app.inject({ url: image.src });
  const top = sharp(file.rawPayload).extract({ left: 0, top: 2, width: 480, height: 4 });
  expect((await top.stats()).dominant.r).toBeGreaterThan(150);
  expect(requests.filter((path) => path.startsWith('/vi/'))).toEqual([
    '/vi/bbbbbbbbbbb/maxresdefault.jpg',
    '/vi/bbbbbbbbbbb/sddefault.jpg',
    '/vi/bbbbbbbbbbb/hqdefault.jpg',
  ]);
});

test('the thumbnail of an unlisted Vimeo video is found by its complete URL', async () => {
  const { image, title } = await load('https://vimeo.com/123456789/abcdef1234');
  expect([image.width, image.height, title]).toEqual([1280, 536, 'Leaves']);
});

test('the thumbnail is unavailable if the video was deleted or its thumbnail is not at a web URL', async () => {
  for (const address of ['https://youtu.be/ccccccccccc', 'https://vimeo.com/404404404']) {
    await expect(load(address)).rejects.toMatchObject({ code: 'video_unavailable' });
  }
});

test('a thumbnail in a private network is never requested', async () => {
  await expect(load('https://vimeo.com/505505505')).rejects.toMatchObject({
    code: 'video_unavailable',
  });
  expect(requests).toEqual(['/api/oembed.json']);
  requests = [];
  allowPrivateAddresses(false);
  const loading = importVideoThumbnail(server.db, ada, 'https://youtu.be/aaaaaaaaaaa', hosts);
  await expect(loading).rejects.toMatchObject({ code: 'video_unavailable' });
  expect(requests).toEqual([]);
});

test('the video thumbnail call refuses URLs of other sites', async () => {
  const call = (address: string) => ada.post('/client-api/api/images/video_thumbnail', { address });
  expect((await call('https://tea.example/film.mp4')).status).toBe(422);
  expect((await call('javascript:alert(1)')).status).toBe(422);
});
