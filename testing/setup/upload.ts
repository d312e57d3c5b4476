// Uploads a file as a browser does.
import type { TestResponse, TestClient } from './server.ts';

export function upload(
  client: TestClient,
  bytes: Buffer,
  name = 'picture.png',
  url = '/client-api/api/images',
): Promise<TestResponse> {
  const boundary = 'x-boundary-of-the-tests';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`;
  const payload = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return client.send({
    method: 'POST',
    url,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload,
  });
}
