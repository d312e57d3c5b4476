// Checks whether a user-supplied address responds: no private networks, few redirects, and the body
// is never read.
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { publicLookup, refusePrivateAddress } from './outgoing-address.ts';

const MAX_REDIRECTS = 5;
const AGENT = 'Mozilla/5.0 (compatible; Sendloom link check)';

/**
 * Returns the final status after redirects. Throws if there is no response: the host is unknown,
 * private or refuses, takes longer than `timeoutMs` in total, or redirects too often.
 */
export async function probe(address: string, timeoutMs: number): Promise<number> {
  const signal = AbortSignal.timeout(timeoutMs);
  let url = new URL(address);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const { statusCode = 0, headers } = await sendRequest(url, signal);
    const isRedirect = statusCode >= 300 && statusCode < 400 && headers.location !== undefined;
    if (!isRedirect) return statusCode;
    url = new URL(headers.location as string, url);
  }
  throw new Error(`${address} redirects too many times.`);
}

/**
 * Sends GET, because many servers handle HEAD incorrectly; the connection is closed after the
 * headers.
 */
function sendRequest(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return Promise.reject(new Error(`${url.protocol} is not supported.`));
  }
  refusePrivateAddress(url.hostname.replace(/^\[|\]$/g, ''));
  const request = url.protocol === 'http:' ? requestHttp : requestHttps;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      signal,
      lookup: publicLookup,
      agent: false,
      maxHeaderSize: 32_768,
      headers: { 'user-agent': AGENT, accept: '*/*' },
    });
    outgoing.on('response', (response) => {
      resolve(response);
      response.destroy();
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
