// The image library over HTTP: accepted formats, conversion, visibility, and deletion of images in
// use.
import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { files } from '#platform/server/files/files.ts';
import { startModelServer } from '#testing/servers/model-server.ts';
import { testServer } from '#testing/setup/server.ts';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';
import { upload } from '#testing/setup/upload.ts';

const server = await testServer({ MODEL_HOSTS: '127.0.0.1' });
const model = await startModelServer();
const ada = await server.owner();
const bob = await server.owner();
const IMAGES = '/client-api/api/images';

// Restores the file storage even after a failed test, because its mock would affect the next tests.
afterEach(() => vi.restoreAllMocks());

const createImage = (width: number, height: number, background = '#3b4fe4') =>
  sharp({ create: { width, height, channels: 3, background } });
const fetchImage = (url: string) => server.app.inject({ url });

async function countFiles(): Promise<number> {
  let count = 0;
  for await (const key of files.list()) if (key.startsWith('images/')) count++;
  return count;
}

/** Creates a GIF with three frames of 120 by 80 pixels. */
async function animation(): Promise<Buffer> {
  const frames = await Promise.all(
    ['#ff0000', '#00ff00', '#0000ff'].map((color) => createImage(120, 80, color).png().toBuffer()),
  );
  return sharp(frames, { join: { animated: true } })
    .gif({ delay: [90, 90, 90] })
    .toBuffer();
}

/** Creates a small PNG file that declares the given size. */
function pngOf(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const check = Buffer.alloc(4);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(1_000_000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

test('an account can upload at most four images at a time', async () => {
  const bytes = await Promise.all(
    Array.from({ length: 8 }, (_, i) => createImage(1500, 1500, `#00${i}0ff`).png().toBuffer()),
  );
  const responses = await Promise.all(bytes.map((byte, i) => upload(ada, byte, `${i}.png`)));
  const statuses = responses.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
  expect((await upload(bob, bytes[0] as Buffer, 'bob.png')).status).toBe(200);
  expect((await upload(ada, bytes[7] as Buffer, 'again.png')).status).toBe(200);
});

test('slow storage of one image does not delay other images', async () => {
  const { data } = (await upload(ada, await createImage(40, 30, '#123456').png().toBuffer())).body;
  const get = files.get.bind(files);
  const slowBodies = new Readable({ read() {} });
  const reading = vi.spyOn(files, 'get').mockImplementation(async (key) => {
    const response = await get(key);
    if (response) slowBodies.unshift(await buffer(response));
    return slowBodies;
  });
  const cropping = ada.post(`${IMAGES}/${data.id}/crop`, {
    left: 0,
    top: 0,
    width: 20,
    height: 20,
  });
  await expect.poll(() => reading.mock.calls.length).toBe(1);
  reading.mockRestore();
  const otherUpload = await upload(bob, await createImage(50, 30, '#123456').png().toBuffer());
  expect(otherUpload.status).toBe(200);
  slowBodies.push(null);
  expect((await cropping).status).toBe(200);
});

test('at most four images of an account are read concurrently from slow storage', async () => {
  const bytes = await createImage(40, 30, '#654321').png().toBuffer();
  const { data } = (await upload(ada, bytes)).body;
  const slowBodies: Readable[] = [];
  const reading = vi.spyOn(files, 'get').mockImplementation(async () => {
    const stream = new Readable({ read() {} });
    slowBodies.push(stream);
    return stream;
  });
  const statuses: number[] = [];
  const crops = [10, 11, 12, 13, 14, 15].map(async (width) => {
    const crop = { left: 0, top: 0, width, height: 20 };
    statuses.push((await ada.post(`${IMAGES}/${data.id}/crop`, crop)).status);
  });
  await expect.poll(() => statuses.length + slowBodies.length).toBe(6);
  expect(statuses).toEqual([429, 429]);
  expect(reading).toHaveBeenCalledTimes(4);
  reading.mockRestore();
  for (const stream of slowBodies) {
    stream.push(bytes);
    stream.push(null);
  }
  await Promise.all(crops);
  expect(statuses).toEqual([429, 429, 200, 200, 200, 200]);
});

describe('an upload', () => {
  test.each(['png', 'jpeg', 'gif', 'webp'] as const)(
    'a %s file is stored and served',
    async (format) => {
      const bytes = await createImage(300, 200).toFormat(format).toBuffer();
      const uploadResponse = await upload(ada, bytes, 'C:\\fakepath\\Tea\u0000.png');
      expect(uploadResponse.status).toBe(200);
      const { data } = uploadResponse.body;
      const extension = { png: 'png', jpeg: 'jpg', gif: 'gif', webp: 'jpg' }[format];
      expect(data).toMatchObject({ name: 'Tea.png', format: extension, width: 300, height: 200 });
      expect(data.src).toMatch(new RegExp(`^/i/[A-Za-z0-9]+/[a-z0-9]{32}\\.${extension}$`));
      const response = await fetchImage(data.src);
      expect(response.headers).toMatchObject({
        'content-type': `image/${extension === 'jpg' ? 'jpeg' : extension}`,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      });
      expect(response.rawPayload).toHaveLength(data.bytes);
    },
  );

  test('an uploaded image loses its metadata and is rotated upright', async () => {
    const bytes = await createImage(400, 200)
      .jpeg()
      .withExif({ IFD0: { Copyright: 'secret place' } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    expect(bytes.includes('secret place')).toBe(true);
    const { data } = (await upload(ada, bytes, 'camera.jpg')).body;
    expect(data).toMatchObject({ width: 200, height: 400 });
    const storedImage = (await fetchImage(data.src)).rawPayload;
    expect(storedImage.includes('secret place')).toBe(false);
    expect((await sharp(storedImage).metadata()).exif).toBeUndefined();
  });

  test('an uploaded animation stays animated', async () => {
    const { data } = (await upload(ada, await animation(), 'moving.gif')).body;
    expect(data).toMatchObject({ format: 'gif', is_animated: true, width: 120, height: 80 });
    const storedImage = await sharp((await fetchImage(data.src)).rawPayload, {
      animated: true,
    }).metadata();
    expect(storedImage.pages).toBe(3);
    const thumbnail = await sharp((await fetchImage(data.thumbnail_src)).rawPayload).metadata();
    expect([thumbnail.format, thumbnail.pages ?? 1]).toEqual(['webp', 1]);
  });

  test('an image larger than any email needs is scaled down', async () => {
    const { data } = (await upload(ada, await createImage(5000, 2500).jpeg().toBuffer(), 'l.jpg'))
      .body;
    expect(data).toMatchObject({ width: 2400, height: 1200 });
  });

  test('an image uploaded twice is stored once per account', async () => {
    const bytes = await createImage(31, 17).png().toBuffer();
    const filesBefore = await countFiles();
    const [first, again, foreign] = await Promise.all([
      upload(ada, bytes, 'a.png'),
      upload(ada, bytes, 'b.png'),
      upload(bob, bytes, 'c.png'),
    ]);
    expect(again.body.data.id).toBe(first.body.data.id);
    expect(foreign.body.data.src).not.toBe(first.body.data.src);
    // The image and its thumbnail, for each account.
    expect((await countFiles()) - filesBefore).toBe(4);
  });

  test.each([
    [
      'an SVG with a script',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
      'image_format',
    ],
    ['an HTML page', Buffer.from('<!doctype html><p>hi'), 'image_format'],
    ['an empty file', Buffer.alloc(0), 'image_format'],
    ['a damaged PNG', Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1'), 'image_unreadable'],
    ['60,000 by 60,000 pixels', pngOf(60_000, 60_000), 'image_too_many_pixels'],
    ['25,000 by 100 pixels', pngOf(25_000, 100), 'image_too_many_pixels'],
    ['more than 20 MB', Buffer.alloc(21 * 1024 * 1024, 1), 'image_too_large'],
  ])('an upload of %s is refused with its error code', async (_, bytes, code) => {
    const response = await upload(ada, bytes, 'picture.png');
    expect(response.status).toBe(422);
    expect(response.body.code).toBe(code);
    expect(response.body.message.length).toBeGreaterThan(20);
  });

  test('an upload without a file and a list without a session are refused', async () => {
    expect((await ada.post(IMAGES, {})).body.code).toBe('file_missing');
    expect((await server.client().get(IMAGES)).status).toBe(401);
  });
});

describe('the library', () => {
  test('images are searched, sorted, renamed and paged', async () => {
    const owner = await server.owner();
    for (const [i, name] of ['Zebra.png', 'apple.png', 'Mango 100%.png'].entries()) {
      await upload(
        owner,
        await createImage(20 + i, 20)
          .png()
          .toBuffer(),
        name,
      );
    }
    const names = async (query: string) =>
      (await owner.get(`${IMAGES}?${query}`)).body.data.map((row: { name: string }) => row.name);
    expect(await names('order=title&direction=asc')).toEqual([
      'apple.png',
      'Mango 100%.png',
      'Zebra.png',
    ]);
    expect(await names('search=APP')).toEqual(['apple.png']);
    expect(await names('search=0%25')).toEqual(['Mango 100%.png']);
    expect(await names('limit=2&page=2&order=created&direction=asc')).toEqual(['Mango 100%.png']);
    const { id, src } = (await owner.get(`${IMAGES}?search=zebra`)).body.data[0];
    const renaming = await owner.patch(`${IMAGES}/${id}`, { name: 'Horse' });
    expect(renaming.body.data).toMatchObject({ name: 'Horse', src });
  });

  test('crops images and animations and resizes the result', async () => {
    const { data } = (await upload(ada, await createImage(600, 400).png().toBuffer(), 'cut me.png'))
      .body;
    const crop = { left: 100, top: 50, width: 300, height: 200, resize_to: 150 };
    const cropped = await ada.post(`${IMAGES}/${data.id}/crop`, crop);
    expect(cropped.body.data).toMatchObject({ name: 'cut me.png', width: 150, height: 100 });
    expect(cropped.body.data.id).not.toBe(data.id);
    const outside = await ada.post(`${IMAGES}/${data.id}/crop`, { ...crop, left: 400 });
    expect(outside.body.code).toBe('image_crop_outside');
    const moving = (await upload(ada, await animation(), 'moving.gif')).body.data;
    const half = { left: 0, top: 0, width: 60, height: 40 };
    const movedImage = (await ada.post(`${IMAGES}/${moving.id}/crop`, half)).body.data;
    expect(movedImage).toMatchObject({ is_animated: true, width: 60, height: 40 });
  });

  test('creates an edited copy that is rotated, brighter and has transparent corners', async () => {
    // The left half is dark red, the right half gray.
    const rightHalf = {
      input: await createImage(100, 100, '#606060').png().toBuffer(),
      left: 100,
      top: 0,
    };
    const bytes = await createImage(200, 100, '#400000').composite([rightHalf]).png().toBuffer();
    const { data } = (await upload(ada, bytes, 'halves.png')).body;
    const url = `${IMAGES}/${data.id}/edit`;
    const edit = { rotate: 90, brightness: 200, radius: 50 };
    const { body } = await ada.post(url, edit);
    expect(body.data).toMatchObject({ name: 'halves.png', width: 100, height: 200, format: 'png' });
    expect((await ada.post(url, edit)).body.data.id).toBe(body.data.id);
    const file = (await fetchImage(body.data.src)).rawPayload;
    const { data: pixels } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
    const pixelAt = (x: number, y: number) => [
      ...pixels.subarray((y * 100 + x) * 4, (y * 100 + x) * 4 + 4),
    ];
    expect(pixelAt(0, 0)[3]).toBe(0);
    expect(pixelAt(50, 60)).toEqual([0x80, 0, 0, 255]);
    expect(pixelAt(50, 150)).toEqual([0xc0, 0xc0, 0xc0, 255]);
    expect((await fetchImage(data.src)).statusCode).toBe(200);
  });

  test('stores an edited photo as JPEG, and as PNG if its corners are rounded', async () => {
    const photo = await createImage(2000, 1000, '#887766').jpeg().toBuffer();
    const { data } = (await upload(ada, photo, 'photo.jpg')).body;
    const url = `${IMAGES}/${data.id}/edit`;
    const lit = (await ada.post(url, { brightness: 80 })).body.data;
    expect(lit).toMatchObject({ format: 'jpg', width: 2000, height: 1000 });
    const rounded = (await ada.post(url, { rotate: 270, radius: 10, name: 'Round' })).body.data;
    expect(rounded).toMatchObject({ name: 'Round', format: 'png', width: 800, height: 1600 });
  });

  test('refuses edits of animations, of other accounts’ images, and with values out of range', async () => {
    const moving = (await upload(ada, await animation(), 'loop.gif')).body.data;
    const edit = (body: object, id: string = moving.id) => ada.post(`${IMAGES}/${id}/edit`, body);
    expect((await edit({ rotate: 90 })).body.code).toBe('image_animated');
    for (const invalid of [{ rotate: 45 }, { brightness: 0 }, { radius: 51 }, { blur: 1 }])
      expect((await edit(invalid)).status, JSON.stringify(invalid)).toBe(422);
    const foreignImage = await bob.post(`${IMAGES}/${moving.id}/edit`, { rotate: 90 });
    expect(foreignImage.status).toBe(404);
  });

  test('does not let other accounts list, rename, crop or delete an image', async () => {
    const { data } = (await upload(ada, await createImage(44, 44).png().toBuffer(), 'hers.png'))
      .body;
    const list = (await bob.get(`${IMAGES}?search=hers`)).body.data;
    expect(list).toEqual([]);
    const url = `${IMAGES}/${data.id}`;
    const responses = [
      await bob.patch(url, { name: 'mine' }),
      await bob.post(`${url}/crop`, { left: 0, top: 0, width: 9, height: 9 }),
      await bob.get(`${url}/uses`),
      await bob.delete(url, { force: true }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  test('deletes a used image only if forced, after which the draft that uses it has an error', async () => {
    const owner = await server.owner();
    const { data } = (await upload(owner, await createImage(90, 60).png().toBuffer(), 'hero.png'))
      .body;
    const campaign = (await owner.post('/client-api/api/campaigns', { title: 'Tea' })).body.data;
    const image = { src: data.src, alt: 'Tea', width: 90, height: 60 };
    const block = createBlock('image', { image: image });
    await owner.put(`/client-api/api/campaigns/${campaign.id}/content`, {
      revision: campaign.revision,
      editor: 'editor',
      document: createEmailDocument([createSection([[block]])]),
    });
    await owner.patch('/client-api/api/brand', { logo: image });
    await owner.post('/client-api/api/saved_sections', {
      title: 'Top',
      section: createSection([[createBlock('video', { poster: image })]]),
    });
    const rejection = await owner.delete(`${IMAGES}/${data.id}`, {});
    expect(rejection.status).toBe(409);
    expect(rejection.body.code).toBe('image_in_use');
    expect(rejection.body.uses.map((use: { kind: string }) => use.kind).sort()).toEqual([
      'brand',
      'campaign',
      'section',
    ]);
    expect((await owner.delete(`${IMAGES}/${data.id}`, { force: true })).status).toBe(200);
    expect((await owner.get(IMAGES)).body.data).toEqual([]);
    expect((await fetchImage(data.src)).statusCode).toBe(200);
    const checks = (await owner.get(`/client-api/api/campaigns/${campaign.id}/checks`)).body.data;
    expect(checks).toContainEqual(
      expect.objectContaining({ code: 'image_deleted', severity: 'error', node: block.id }),
    );
    const secondUpload = await upload(
      owner,
      await createImage(90, 60).png().toBuffer(),
      'hero.png',
    );
    expect(secondUpload.body.data.src).not.toBe(data.src);
  });
});

describe('public URLs', () => {
  test.each([
    '/i/s/brand-round/instagram.png',
    '/i/s/light-sign-square/bluesky.png',
    '/i/play.png',
    '/i/art/mug.png',
  ])('%s is drawn by the product', async (url) => {
    const response = await fetchImage(url);
    expect(response.statusCode).toBe(200);
    expect((await sharp(response.rawPayload).metadata()).format).toBe('png');
  });

  test.each([
    '/i/s/brand-round/myspace.png',
    '/i/s/pink-round/instagram.png',
    '/i/art/../../etc/passwd',
    '/i/art/constructor.png',
    '/i/abcdef/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.png',
    '/i/x/..%2f..%2fsecret.png',
  ])('%s is not found', async (url) => {
    expect((await fetchImage(url)).statusCode).toBe(404);
  });
});

describe('alternative text', () => {
  const ALT = `${IMAGES}/alt_text`;
  const ASSISTANCE = '/client-api/api/assistance';
  type ModelPart = { type: string; text?: string; source?: object; image_url?: { url: string } };
  type Messages = { messages: { role: string; content: ModelPart[] }[] };

  async function connectModel(protocol: 'anthropic' | 'openai') {
    const owner = await server.owner();
    const address = protocol === 'openai' ? `${model.address}/v1` : model.address;
    const settings = { protocol, address, model: 'llama', monthly_tokens: null };
    expect((await owner.put(ASSISTANCE, settings)).status).toBe(200);
    model.requests.length = 0;
    return owner;
  }

  test.each(['anthropic', 'openai'] as const)(
    'a suggestion sends the image that was shown, in the protocol %s',
    async (protocol) => {
      const owner = await connectModel(protocol);
      const raw = { width: 1600, height: 1200, channels: 3 } as const;
      const noise = randomBytes(raw.width * raw.height * raw.channels);
      const photo = await sharp(noise, { raw }).jpeg().toBuffer();
      const { src } = (await upload(owner, photo, 'a.jpg')).body.data;
      const input = { src, language: 'nor' };
      const confirmation = await owner.post(ALT, input);
      expect(confirmation.status, confirmation.text).toBe(200);
      const { request, alt } = confirmation.body.data;
      expect([alt, model.requests]).toEqual([null, []]);
      const [head, base64 = ''] = request.image.split(',');
      expect(head).toBe('data:image/jpeg;base64');
      const { width, height, exif } = await sharp(Buffer.from(base64, 'base64')).metadata();
      expect([width, height, exif]).toEqual([1024, 768, undefined]);
      expect(base64.length).toBeLessThan(1_400_000);
      expect(request.body).not.toContain(base64.slice(0, 100));
      model.responses = ['"A <b>cup</b> of\n{{email}} tea"'];
      const response = await owner.post(ALT, { ...input, is_confirmed: true });
      expect(response.body.data.alt).toBe('A cup of email tea');
      const { body } = model.requests[0] as (typeof model.requests)[number];
      const [image, text] = (body as Messages).messages.at(-1)?.content ?? [];
      expect(image).toEqual(
        protocol === 'anthropic'
          ? { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: base64 } }
          : { type: 'image_url', image_url: { url: request.image } },
      );
      expect(text?.type).toBe('text');
      expect(JSON.stringify(model.requests)).toContain('Norwegian');
      model.responses = ['<p></p>'];
      const emptyReply = await owner.post(ALT, { ...input, is_confirmed: true });
      expect([emptyReply.status, emptyReply.body.code]).toEqual([502, 'model_answer']);
    },
  );

  test('the first frame of an animation is shown for confirmation, and images outside the library are refused', async () => {
    const owner = await connectModel('openai');
    const { src } = (await upload(owner, await animation(), 'a.gif')).body.data;
    const confirmation = await owner.post(ALT, { src, language: 'eng' });
    const base64 = confirmation.body.data.request.image.split(',')[1];
    const { dominant } = await sharp(Buffer.from(base64, 'base64')).stats();
    expect(dominant.r).toBeGreaterThan(dominant.b);
    const foreignImage = (await upload(ada, await createImage(30, 30).png().toBuffer())).body.data
      .src;
    for (const invalid of [
      foreignImage,
      'https://shop.example/cup.png',
      '/i/art/mug.png',
      '',
      `x${src}`,
    ])
      expect((await owner.post(ALT, { src: invalid, language: 'eng' })).status, invalid).toBe(404);
    expect(model.requests).toEqual([]);
  });

  test('an account without a model gets no suggestion', async () => {
    const { src } = (await upload(bob, await createImage(30, 30).png().toBuffer())).body.data;
    const rejection = await bob.post(ALT, { src, language: 'eng', is_confirmed: true });
    expect([rejection.status, rejection.body.code]).toEqual([409, 'model_off']);
  });
});
