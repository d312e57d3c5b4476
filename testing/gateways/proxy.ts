// A proxy between the product and a gateway. It loses calls or their responses, delays responses,
// or replaces them with an error page.
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `never sent`: the call does not arrive. `lost`: its response does not arrive. `late`: the
 * response arrives after the caller's timeout. `page`: the response is status 502 with HTML.
 * `page with status 200`: the response is status 200 with HTML.
 */
export type Trouble = 'never sent' | 'lost' | 'late' | 'page' | 'page with status 200';

export type TroubledProxy = {
  base: string;
  /** The failure simulated for calls that move money; undefined for none. */
  trouble: Trouble | undefined;
  /** Whether calls that only read also have the trouble. */
  isTotal: boolean;
  close(): Promise<void>;
};

const PAGE = '<!doctype html><html><body><h1>Bad gateway</h1></body></html>';
const LATE_MS = 3_000;

/** @param movesMoney whether a call moves money */
export async function startTroubledProxy(
  target: string,
  movesMoney: (method: string, path: string) => boolean,
): Promise<TroubledProxy> {
  const proxy: TroubledProxy = {
    base: '',
    trouble: undefined,
    isTotal: false,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const isAffected = proxy.isTotal || movesMoney(method, url);
    const trouble = isAffected ? proxy.trouble : undefined;
    if (trouble === 'never sent') return request.socket.destroy();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const forwardedRequest = sendRequest(
      `${target}${url}`,
      { method, headers },
      async (upstreamResponse) => {
        const responseParts: Buffer[] = [];
        for await (const chunk of upstreamResponse) responseParts.push(chunk as Buffer);
        const pass = () => {
          response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers);
          response.end(Buffer.concat(responseParts));
        };
        if (trouble === undefined) return pass();
        if (trouble === 'lost') return request.socket.destroy();
        if (trouble === 'late') return void timers.add(setTimeout(pass, LATE_MS));
        response.writeHead(trouble === 'page' ? 502 : 200, { 'content-type': 'text/html' });
        response.end(PAGE);
      },
    );
    forwardedRequest.on('error', () => request.socket.destroy());
    forwardedRequest.end(Buffer.concat(chunks));
  });
  server.on('close', () => {
    for (const timeout of timers) clearTimeout(timeout);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}
