// One HTTP call to an address that a user gave: public hosts only, the address that was judged is the one
// that is connected to, no redirects, one deadline for all of it, so many bytes of the answer.
import http from 'node:http';
import https from 'node:https';
import { publicLookup, refusePrivateAddress } from './outgoing-address.ts';

export type OutgoingCall = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** Name, connection, answer and all. */
  withinMs: number;
  /** What is beyond is not read. */
  bytesMost: number;
  /** An address of the product itself: it may be a private one. */
  isOurs?: boolean;
};

export type OutgoingAnswer = { status: number; headers: http.IncomingHttpHeaders; body: Buffer };

const CONNECTIONS = 64;
const newPool = () => ({
  'http:': new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: CONNECTIONS }),
});
/** A reused socket skips the look-up: one that was opened to a private host must not serve a public call. */
const pools = { own: newPool(), public: newPool() };

class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  constructor(ms: number) {
    super(`No answer within ${ms} ms.`);
  }
}

/** Whether a service may be behind this port. */
export function isOpenPort(url: URL): boolean {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return port === 80 || port === 443 || port > 1023;
}

/** @throws where nobody answers in time, or the address is none that may be called */
export async function callPublic(address: string, call: OutgoingCall): Promise<OutgoingAnswer> {
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error('Only http and https.');
  if (!isOpenPort(url)) throw new Error(`Port ${url.port} is none of a web server.`);
  if (!call.isOurs) refusePrivateAddress(url.hostname.replace(/^\[|\]$/g, ''));
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const { method, headers = {} } = call;
    const options = {
      method,
      headers,
      agent: pools[call.isOurs ? 'own' : 'public'][url.protocol as 'http:'],
      ...(call.isOurs ? {} : { lookup: publicLookup }),
    };
    const outgoing = request(url, options, (incoming) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const finish = () => {
        clearTimeout(deadline);
        const body = Buffer.concat(chunks).subarray(0, call.bytesMost);
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body });
      };
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size < call.bytesMost) return;
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
    // By a timer that ends with the call: a signal would live on until its time, for each of thousands of calls.
    const deadline = setTimeout(() => {
      reject(new TimeoutError(call.withinMs));
      outgoing.destroy();
    }, call.withinMs);
    outgoing.once('error', fail);
    outgoing.end(call.body);
  });
}
