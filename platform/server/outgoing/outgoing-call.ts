// One HTTP call to a user-supplied address: public hosts only (except for addresses of the product
// itself), connects to the checked address, no redirects, one deadline for the whole call, and a
// limit on the response's bytes.
import http from 'node:http';
import https from 'node:https';
import { publicLookup, refusePrivateAddress } from './outgoing-address.ts';

export type OutgoingCall = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** Deadline of the whole call, including name resolution. */
  timeoutMs: number;
  /** Maximum number of bytes of the response; the rest is cut off. */
  maxBytes: number;
  /** An address from the configuration of the product itself; may be private. */
  isTrusted?: boolean;
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
  /** Parts of the body as they arrive. */
  onData?: (bytes: Buffer, head: Pick<OutgoingResponse, 'status' | 'headers'>) => void;
};

export type OutgoingResponse = { status: number; headers: http.IncomingHttpHeaders; body: Buffer };

const CONNECTIONS = 64;
const newPool = () => ({
  'http:': new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: CONNECTIONS }),
});
/** A reused socket skips the lookup, so public calls must not share sockets with trusted ones. */
const pools = { own: newPool(), public: newPool() };

class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  constructor(ms: number) {
    super(`No answer within ${ms} ms.`);
  }
}

/** Returns true if the product may call this port. */
export function isOpenPort(url: URL): boolean {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return port === 80 || port === 443 || port > 1023;
}

/**
 * @throws if the address may not be called, the connection fails, the call is aborted, or the
 * response is not complete in time
 */
export async function callPublic(address: string, call: OutgoingCall): Promise<OutgoingResponse> {
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error('Only http and https are allowed.');
  if (!isOpenPort(url)) throw new Error(`Port ${url.port} is not allowed for web requests.`);
  if (!call.isTrusted) refusePrivateAddress(url.hostname.replace(/^\[|\]$/g, ''));
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const { method, headers = {} } = call;
    const options = {
      method,
      headers,
      agent: pools[call.isTrusted ? 'own' : 'public'][url.protocol as 'http:'],
      ...(call.isTrusted ? {} : { lookup: publicLookup }),
      ...(call.signal && { signal: call.signal }),
    };
    const outgoing = request(url, options, (incoming) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const finish = () => {
        clearTimeout(deadline);
        const body = Buffer.concat(chunks).subarray(0, call.maxBytes);
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body });
      };
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        call.onData?.(chunk, { status: incoming.statusCode ?? 0, headers: incoming.headers });
        if (size < call.maxBytes) return;
        finish();
        outgoing.destroy();
      });
      incoming.once('end', finish);
      incoming.once('error', fail);
    });
    const fail = (error: Error) => {
      clearTimeout(deadline);
      reject(error);
    };
    // A timer can be cleared at the end of the call. An abort signal would live until its timeout,
    // for each of thousands of calls.
    const deadline = setTimeout(() => {
      reject(new TimeoutError(call.timeoutMs));
      outgoing.destroy();
    }, call.timeoutMs);
    outgoing.once('error', fail);
    outgoing.end(call.body);
  });
}
