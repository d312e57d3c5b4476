// Reports visitors, carts and orders from a store's own pages. The tag loads this script when a
// page first uses one of these commands.
// The browser's id is stored in one first-party cookie, only where the page allows it.

import { toJson } from '../forms/site/plain-json.ts';

export type TagPayload = Record<string, unknown>;
export type TagContext = {
  /** The origin of the tag. */
  base: string;
  /** The account's public key. */
  key: string;
  /** True if the page allows storing data in the browser. */
  canStore: boolean;
};

/** The cookie name that store plug-ins read. */
const COOKIE = 'sender_subscriber_id';
const YEAR_SECONDS = 31_536_000;

/** Id for this page view, where storing is not allowed. */
let ofVisit = '';

function visitor(canStore: boolean): string {
  const storedVisitor = new RegExp(`(?:^|; )${COOKIE}=([\\w-]{16,64})`).exec(document.cookie)?.[1];
  const name = storedVisitor ?? (ofVisit ||= newName());
  if (canStore) {
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

/** Returns the product described by the page's metadata. */
function product(): TagPayload | undefined {
  const block = document.querySelector('script[type="application/sender+json"]');
  try {
    const data: unknown = JSON.parse(block?.textContent ?? '');
    return typeof data === 'object' && data !== null
      ? { ...data, url: location.origin + location.pathname }
      : undefined;
  } catch {
    return undefined;
  }
}

type TagCall = { method: 'POST' | 'PATCH'; path: string; body?: TagPayload | undefined };

const encodeExternalId = (payload: TagPayload): string =>
  encodeURIComponent(String(payload.external_id ?? ''));

const CALLS: Record<string, (payload: TagPayload) => TagCall> = {
  trackVisitors: (payload) => ({
    method: 'POST',
    path: 'visitors',
    body: { ...payload, product: product() },
  }),
  subscribeNewsletter: (payload) => ({ method: 'POST', path: 'create_subscriber', body: payload }),
  trackCart: (payload) => ({ method: 'POST', path: 'carts', body: payload }),
  updateCart: (payload) => ({
    method: 'PATCH',
    path: `carts/${encodeExternalId(payload)}`,
    body: payload,
  }),
  convertCart: (payload) => ({
    method: 'POST',
    path: `carts/${encodeExternalId(payload)}/convert`,
    body: payload,
  }),
  statusCartUpdate: (payload) => ({
    method: 'PATCH',
    path: `carts/${encodeExternalId(payload)}/status`,
    body: payload,
  }),
};

/** Reports to the server; errors never affect the store's page. */
export async function reportToServer(
  command: string,
  input: unknown,
  { base, key, canStore }: TagContext,
): Promise<void> {
  const payload = typeof input === 'object' && input !== null ? (input as TagPayload) : {};
  const call = CALLS[command]?.(payload);
  if (!call) return;
  // Sent as plain text, which avoids a CORS preflight.
  await fetch(`${base}/commerce/${call.path}`, {
    method: call.method,
    body:
      toJson({
        ...{ page: location.origin + location.pathname, ...call.body },
        ...{ visitor: visitor(canStore), resource_key: key },
      }) ?? null,
    credentials: 'omit',
    keepalive: true,
  });
}
