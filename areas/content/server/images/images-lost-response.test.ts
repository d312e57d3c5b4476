// The commit of an image succeeds but its response is lost: the retry finds the image and files.
import sharp from 'sharp';
import { expect, test, vi } from 'vitest';
import { files } from '#platform/server/files/files.ts';
import { testServer } from '#testing/setup/server.ts';
import { uploadImage } from './images.ts';

const answer = vi.hoisted(() => ({ isLost: false }));
vi.mock('#platform/server/database/database.ts', async (load) => {
  const actual = await load<typeof import('#platform/server/database/database.ts')>();
  const inTransaction: typeof actual.inTransaction = async (...args) => {
    if (answer.isLost) {
      answer.isLost = false;
      await actual.inTransaction(...args);
    }
    return actual.inTransaction(...args);
  };
  return { ...actual, inTransaction };
});

test('uploaded files remain if the response to the commit is lost', async () => {
  const server = await testServer();
  const ada = await server.owner();
  const bytes = await sharp({
    create: { width: 30, height: 20, channels: 3, background: '#3b4fe4' },
  })
    .png()
    .toBuffer();
  answer.isLost = true;
  const image = await uploadImage(server.db, ada, async () => ({ name: 'Tea.png', bytes }));
  expect((await server.app.inject({ url: image.src })).statusCode).toBe(200);
  const keys: string[] = [];
  for await (const key of files.list()) if (key.startsWith('images/')) keys.push(key);
  expect(keys).toHaveLength(2);
});
