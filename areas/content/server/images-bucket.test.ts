// The image library with its files in an S3-compatible bucket.
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { startBucket } from '#testing/bucket.ts';
import { testServer } from '#testing/server.ts';
import { upload } from '#testing/upload.ts';

const bucket = await startBucket();
afterAll(() => bucket.close());
const server = await testServer({
  FILES_BUCKET_URL: bucket.url,
  FILES_ACCESS_KEY: 'key',
  FILES_SECRET_KEY: 'secret',
});

test('an image goes to the bucket, below its account, and comes back to anybody', async () => {
  const owner = await server.owner();
  const red = { width: 900, height: 500, channels: 3, background: '#c02b3c' } as const;
  const answer = await upload(owner, await sharp({ create: red }).png().toBuffer(), 'red.png');
  expect(answer.status).toBe(200);
  const { src, thumbnail_src } = answer.body.data;
  const keys = [...bucket.files.keys()];
  expect(keys).toHaveLength(2);
  for (const key of keys)
    expect(key).toMatch(new RegExp(`^images/${owner.accountId}/[a-z0-9]{32}`));
  for (const [address, width] of [
    [src, 900],
    [thumbnail_src, 400],
  ] as const) {
    const got = await server.app.inject({ url: address });
    expect(got.statusCode).toBe(200);
    expect((await sharp(got.rawPayload).metadata()).width).toBe(width);
  }
  const play = await server.app.inject({ url: src.replace('.png', '-play.jpg') });
  expect(play.headers['content-type']).toBe('image/jpeg');
  expect([...bucket.files.keys()].some((key) => key.endsWith('-play.jpg'))).toBe(true);
});
