// A large upload that is refused early, sent as browsers send it: the whole body before the
// response is read.
import { expect, test } from 'vitest';
import { testServer } from '#testing/setup/server.ts';
import { startUpload } from '#testing/setup/socket-upload.ts';

const SIZE = 40 * 1024 * 1024;

test('an upload refused at its start is read to its end, and the response arrives', async () => {
  const server = await testServer({ IMPORT_MAX_MB: '100' });
  const owner = await server.owner();
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const url = '/client-api/api/subscribers/import_file';
  const upload = await startUpload(server, owner, { url, name: 'a.csv', size: SIZE });
  // A list does not begin like a PDF.
  const chunk = Buffer.alloc(65_536, '%PDF-1.7 ');
  for (let sentBytes = 0; sentBytes < SIZE; sentBytes += chunk.length) await upload.send(chunk);
  await upload.end();
  await expect.poll(upload.readResponse).toContain('\r\n\r\n');
  expect(upload.readResponse()).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(upload.readResponse()).toContain('"no_list"');
  upload.close();
});
