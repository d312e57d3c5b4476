// Signature Version 4 of one request to AWS or a compatible service.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
import { createHash, createHmac } from 'node:crypto';

export type SigningCredentials = {
  accessKey: string;
  secretKey: string;
  region: string;
  service: string;
};

export type SignedRequest = {
  method: string;
  url: URL;
  /**
   * Lower-case names; host and x-amz-date are added. All are signed. If x-amz-content-sha256 is
   * given, its value is signed instead of the hash of the body; S3 accepts UNSIGNED-PAYLOAD.
   */
  headers: Record<string, string>;
  body?: string | Buffer;
};

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) =>
  createHmac('sha256', key).update(data).digest();

/** Signs the request and returns its headers, including the signature. */
export function sign(
  request: SignedRequest,
  { accessKey, secretKey, region, service }: SigningCredentials,
  at: Date,
): Record<string, string> {
  const stamp = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = stamp.slice(0, 8);
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.url.host,
    'x-amz-date': stamp,
  };
  const names = Object.keys(headers).toSorted();
  const canonical = [
    request.method,
    service === 's3' ? request.url.pathname : encodedTwice(request.url.pathname),
    canonicalQuery(request.url.searchParams),
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    headers['x-amz-content-sha256'] ?? sha256(request.body ?? ''),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const dayKey = hmac(`AWS4${secretKey}`, day);
  const key = hmac(hmac(hmac(dayKey, region), service), 'aws4_request');
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  headers['authorization'] =
    `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return headers;
}

/** Encodes every reserved character as %XX (RFC 3986). */
export function encodeRfc3986(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

// Encodes the path once more than in the URL (all services except S3).
function encodedTwice(pathname: string): string {
  return pathname.split('/').map(encodeRfc3986).join('/');
}

function canonicalQuery(query: URLSearchParams): string {
  const pairs = [...query].map(
    ([name, value]) => [encodeRfc3986(name), encodeRfc3986(value)] as const,
  );
  const order = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  return pairs
    .toSorted((a, b) => order(a[0], b[0]) || order(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}
