// The S3 backend of the file store: plain REST with Signature Version 4, for any compatible bucket.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FilesConfig } from '../config.ts';
import type { FileStore } from './files.ts';
import { encodeRfc3986, sign } from '../outgoing/signature-v4.ts';

type S3Config = Extract<FilesConfig, { kind: 's3' }>;

/** Headers that sign one request with an unsigned payload. Exported for its test. */
export function signHeaders(
  config: S3Config,
  method: string,
  url: URL,
  at: Date,
): Record<string, string> {
  const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  return sign({ method, url, headers }, { ...config, service: 's3' }, at);
}

type S3Request = {
  method: string;
  key: string;
  /** The headers of an upload include the size, which the bucket requires. */
  body?: { content: Readable; size: number };
  query?: string;
  headers?: Record<string, string> | undefined;
};

function requestOf(config: S3Config) {
  return ({
    method,
    key,
    body,
    query = '',
    headers: extraHeaders,
  }: S3Request): Promise<Response> => {
    const url = new URL(
      `${config.bucketUrl}/${key.split('/').map(encodeRfc3986).join('/')}${query}`,
    );
    // Signatures use the real wall clock, not the product's clock.
    const { host: _, ...headers } = signHeaders(config, method, url, new Date());
    if (body) headers['content-length'] = String(body.size);
    return fetch(url, {
      method,
      headers: { ...headers, ...extraHeaders },
      ...(body ? { body: Readable.toWeb(body.content) as ReadableStream, duplex: 'half' } : {}),
      signal: AbortSignal.timeout(600_000),
    } as RequestInit);
  };
}

async function refuse(response: Response, key: string): Promise<never> {
  throw new Error(
    `The bucket returned ${response.status} for ${key}: ${(await response.text()).slice(0, 200)}`,
  );
}

export function s3Files(config: S3Config): FileStore {
  const request = requestOf(config);
  return {
    // The request needs the size in advance, so the stream passes through a temporary file.
    async put(key, content) {
      const folder = await mkdtemp(path.join(os.tmpdir(), 'sendloom-file-'));
      const partial = path.join(folder, 'content');
      try {
        await pipeline(content, createWriteStream(partial));
        const { size } = await stat(partial);
        const body = { content: createReadStream(partial), size };
        const response = await request({ method: 'PUT', key, body });
        if (!response.ok) await refuse(response, key);
        await response.body?.cancel();
        return size;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    async get(key, range) {
      const headers = range && { range: `bytes=${range.start}-${range.end - 1}` };
      const response = await request({ method: 'GET', key, headers });
      if (response.status === 404) return undefined;
      // A bucket that ignores the range returns 200 with the whole file.
      const isExpected = range ? response.status === 206 : response.ok;
      if (!isExpected || !response.body) await refuse(response, key);
      return Readable.fromWeb(response.body as import('node:stream/web').ReadableStream);
    },
    async size(key) {
      const response = await request({ method: 'HEAD', key });
      if (response.status === 404) return undefined;
      if (!response.ok) await refuse(response, key);
      return Number(response.headers.get('content-length'));
    },
    async remove(key) {
      const response = await request({ method: 'DELETE', key });
      if (!response.ok && response.status !== 404) await refuse(response, key);
      await response.body?.cancel();
    },
    // A bucket stores no partial uploads.
    removeLeftovers: () => Promise.resolve(),
    // ListObjectsV2, a thousand keys per page.
    async *list() {
      let token: string | undefined;
      do {
        const continuation = token ? `&continuation-token=${encodeRfc3986(token)}` : '';
        const query = `?list-type=2${continuation}`;
        const response = await request({ method: 'GET', key: '', query });
        if (!response.ok) await refuse(response, 'the list');
        const xml = await response.text();
        for (const [, key] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) yield unescapeXml(key ?? '');
        const next = /<NextContinuationToken>([^<]*)</.exec(xml)?.[1];
        token = next && unescapeXml(next);
      } while (token);
    },
  };
}

function unescapeXml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
