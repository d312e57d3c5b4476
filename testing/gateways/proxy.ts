// A proxy between the product and a gateway that loses or delays a response, or replaces it with an
// error page.
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `never sent`: the call does not arrive; `lost`: its response does not arrive; `late`: the
 * response comes after the caller's timeout; `page`: 502 with HTML instead; `page that says 200`:
 * the same with status 200.
 */
export type Trouble = 'never sent' | 'lost' | 'late' | 'page' | 'page that says 200';

export type TroubledProxy = {
  base: string;
  /** The failure of calls that move money, until it is cleared. */
  trouble: Trouble | undefined;
  /** Whether read calls fail, too. */
  isTotal: boolean;
  close(): Promise<void>;
};

const PAGE = '<!doctype html><html><body><h1>Bad gateway</h1></body></html>';
const LATE_MS = 3_000;

/** @param moves whether a call moves money */
export async function startTroubledProxy(
  target: string,
  moves: (method: string, path: string) => boolean,
): Promise<TroubledProxy> {
  const proxy: TroubledProxy = {
    base: '',
    trouble: undefined,
    isTotal: false,
    close: () => new Promise((done) => void server.close(() => done())),
  };
  const waiting = new Set<NodeJS.Timeout>();
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const meets = proxy.isTotal || moves(method, url);
    const trouble = meets ? proxy.trouble : undefined;
    if (trouble === 'never sent') return request.socket.destroy();
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const onward = ask(`${target}${url}`, { method, headers }, async (answer) => {
      const answered: Buffer[] = [];
      for await (const part of answer) answered.push(part as Buffer);
      const pass = () => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.end(Buffer.concat(answered));
      };
      if (trouble === undefined) return pass();
      if (trouble === 'lost') return request.socket.destroy();
      if (trouble === 'late') return void waiting.add(setTimeout(pass, LATE_MS));
      response.writeHead(trouble === 'page' ? 502 : 200, { 'content-type': 'text/html' });
      response.end(PAGE);
    });
    onward.on('error', () => request.socket.destroy());
    onward.end(Buffer.concat(parts));
  });
  server.on('close', () => {
    for (const timeout of waiting) clearTimeout(timeout);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  proxy.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}
