// An in-memory S3 bucket for tests: put, get, head and delete.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type TestBucket = {
  /** A value for FILES_BUCKET_URL. */
  url: string;
  /** Contents by path below the bucket. */
  files: Map<string, Buffer>;
  close(): void;
};

export async function startBucket(): Promise<TestBucket> {
  const files = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').replace(/^\/bucket\/?/, '');
    const content = files.get(path);
    if (request.method === 'PUT') {
      files.set(path, await buffer(request));
      response.end();
    } else if (request.method === 'DELETE') {
      files.delete(path);
      response.writeHead(204).end();
    } else if (content === undefined) response.writeHead(404).end();
    else {
      response.writeHead(200, { 'content-length': content.length });
      response.end(request.method === 'HEAD' ? undefined : content);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/bucket`, files, close: () => void server.close() };
}
