// Reports of a store's own pages: visitors, carts, orders. Loaded with the first such command. The
// browser's id is one first-party cookie, stored only where the page allows it.

import { toJson } from '../forms/site/plain-json.ts';

export type Words = Record<string, unknown>;
export type Teller = {
  /** The origin of the tag. */
  base: string;
  /** The account's public key. */
  key: string;
  /** Whether anything may be stored in the browser. */
  keeps: boolean;
};

/** The cookie name that store plug-ins read. */
const COOKIE = 'sender_subscriber_id';
const YEAR_SECONDS = 31_536_000;

/** For this page view only, where storing is not allowed. */
let ofVisit = '';

function visitor(keeps: boolean): string {
  const known = new RegExp(`(?:^|; )${COOKIE}=([\\w-]{16,64})`).exec(document.cookie)?.[1];
  const name = known ?? (ofVisit ||= newName());
  if (keeps) {
    const secure = location.protocol === 'https:' ? ';secure' : '';
    document.cookie = `${COOKIE}=${name};path=/;max-age=${YEAR_SECONDS};samesite=lax${secure}`;
  }
  return name;
}

/** `crypto.randomUUID` exists on secure pages only. */
function newName(): string {
  let name = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(16)))
    name += byte.toString(16).padStart(2, '0');
  return name;
}

/** The product that the page's metadata describes. */
function product(): Words | undefined {
  const block = document.querySelector('script[type="application/sender+json"]');
  try {
    const words: unknown = JSON.parse(block?.textContent ?? '');
    return typeof words === 'object' && words !== null
      ? { ...words, url: location.origin + location.pathname }
      : undefined;
  } catch {
    return undefined;
  }
}

type Call = { method: 'POST' | 'PATCH'; path: string; words?: Words | undefined };

const part = (words: Words): string => encodeURIComponent(String(words.external_id ?? ''));

const CALLS: Record<string, (words: Words) => Call> = {
  trackVisitors: (words) => ({
    method: 'POST',
    path: 'visitors',
    words: { ...words, product: product() },
  }),
  subscribeNewsletter: (words) => ({ method: 'POST', path: 'create_subscriber', words }),
  trackCart: (words) => ({ method: 'POST', path: 'carts', words }),
  updateCart: (words) => ({ method: 'PATCH', path: `carts/${part(words)}`, words }),
  convertCart: (words) => ({ method: 'POST', path: `carts/${part(words)}/convert`, words }),
  statusCartUpdate: (words) => ({ method: 'PATCH', path: `carts/${part(words)}/status`, words }),
};

/** Reports to the server; errors never affect the store's page. */
export async function tell(
  command: string,
  given: unknown,
  { base, key, keeps }: Teller,
): Promise<void> {
  const words = typeof given === 'object' && given !== null ? (given as Words) : {};
  const call = CALLS[command]?.(words);
  if (!call) return;
  // As plain text, which avoids a CORS preflight.
  await fetch(`${base}/commerce/${call.path}`, {
    method: call.method,
    body: toJson({ ...call.words, visitor: visitor(keeps), resource_key: key }) ?? null,
    credentials: 'omit',
    keepalive: true,
  });
}
