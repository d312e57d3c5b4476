// A reverse proxy for several web roles that works like common proxies: each request goes to the
// next role on its own connection. It is passed on to another role only if the connection is
// refused, which means that no role has read any of it.
import { type IncomingHttpHeaders, request } from 'node:http';

export type UpstreamResponse = { status: number; text: string; headers: IncomingHttpHeaders };
export type RequestOptions = { method?: string; headers?: Record<string, string>; body?: string };

/** Time that a visitor waits for a response. */
const MAX_RESPONSE_MS = 20_000;

export class Upstreams {
  readonly ports: number[] = [];
  /** Number of requests passed on to another role. */
  passedOn = 0;
  longestMs = 0;
  private next = 0;

  /** Returns the response with any status. Throws if there is none. */
  async request(path: string, options: RequestOptions = {}): Promise<UpstreamResponse> {
    const startedAt = performance.now();
    try {
      return await this.requestFrom(path, options, this.ports.length);
    } finally {
      this.longestMs = Math.max(this.longestMs, performance.now() - startedAt);
    }
  }

  private async requestFrom(
    path: string,
    options: RequestOptions,
    retriesLeft: number,
  ): Promise<UpstreamResponse> {
    const port = this.ports[this.next++ % this.ports.length] as number;
    try {
      return await send(port, path, options);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED' || retriesLeft <= 1) throw error;
      this.passedOn += 1;
      return this.requestFrom(path, options, retriesLeft - 1);
    }
  }
}

function send(port: number, path: string, { method = 'GET', headers, body }: RequestOptions) {
  return new Promise<UpstreamResponse>((settle, refuse) => {
    const length = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
    const clientRequest = request(
      { agent: false, host: '127.0.0.1', port, path, method, headers: { ...headers, ...length } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', refuse);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          settle({ status: answer.statusCode ?? 0, text, headers: answer.headers });
        });
      },
    );
    clientRequest.setTimeout(MAX_RESPONSE_MS, () =>
      clientRequest.destroy(new Error(`no response within ${MAX_RESPONSE_MS} ms`)),
    );
    clientRequest.on('error', refuse);
    clientRequest.end(body);
  });
}
