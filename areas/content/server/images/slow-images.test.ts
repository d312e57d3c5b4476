// An upload reserves one of four slots of its account before its bytes arrive.
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { testServer } from '#testing/setup/server.ts';
import { startUpload } from '#testing/setup/socket-upload.ts';
import { upload } from '#testing/setup/upload.ts';

const url = '/client-api/api/images';

test('a fifth upload of an account is refused while the first four are still being read', async () => {
  const server = await testServer();
  const owner = await server.owner();
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const size = 19 * 1024 * 1024;
  const uploads = await Promise.all(
    [1, 2, 3, 4].map((i) => startUpload(server, owner, { url, name: `${i}.png`, size })),
  );
  const half = Buffer.alloc(size / 2, 1);
  for (const socketUpload of uploads) await socketUpload.send(half);
  const fifth = await startUpload(server, owner, { url, name: '5.png', size });
  await expect.poll(fifth.readResponse).toMatch(/^HTTP\/1\.1 429 /);
  expect(fifth.readResponse()).toContain('"too_many_requests"');
  for (let sentBytes = 0; sentBytes < size; sentBytes += half.length) await fifth.send(half);
  await fifth.end();
  for (const socketUpload of uploads) {
    await socketUpload.send(half);
    await socketUpload.end();
    await expect.poll(socketUpload.readResponse).toContain('"image_format"');
  }
  const image = sharp({ create: { width: 30, height: 20, channels: 3, background: '#3b4fe4' } });
  expect((await upload(owner, await image.png().toBuffer())).status).toBe(200);
  for (const socketUpload of [...uploads, fifth]) socketUpload.close();
});
