// Fetches a public URL entered by a user: follows redirects, each to a public host only, within one
// deadline.
import { callPublic, type OutgoingResponse } from '#platform/server/outgoing/outgoing-call.ts';

const MAX_REDIRECTS = 4;
const AGENT = 'Mozilla/5.0 (compatible; Sendloom website look)';

export type FetchedPage = { url: string; type: string; body: Buffer };

/**
 * @param limits `deadline` is in milliseconds since 1970
 * @returns undefined if no response with status 200 arrives before the deadline, or after too many
 * redirects
 */
export async function fetchPublic(
  address: string,
  limits: { deadline: number; maxBytes: number; accept: string },
): Promise<FetchedPage | undefined> {
  let url = address;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const timeoutMs = limits.deadline - Date.now();
    if (timeoutMs <= 0) return undefined;
    const response = await callPublic(url, {
      method: 'GET',
      headers: { 'user-agent': AGENT, accept: limits.accept },
      timeoutMs,
      maxBytes: limits.maxBytes,
    }).catch(() => undefined);
    if (response === undefined) return undefined;
    const { location } = response.headers;
    if (response.status < 300 || response.status >= 400 || location === undefined)
      return response.status === 200 ? toFetchedPage(url, response) : undefined;
    const next = URL.parse(location, url);
    if (!next) return undefined;
    url = next.href;
  }
  return undefined;
}

function toFetchedPage(url: string, { headers, body }: OutgoingResponse): FetchedPage {
  return { url, type: (headers['content-type'] ?? '').toLowerCase(), body };
}
