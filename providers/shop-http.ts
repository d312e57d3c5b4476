// Calls stores through the guarded HTTP client and turns failures into errors that state the
// reason.
import { StoreError } from '#areas/stores/server/index.ts';
import { parseJson } from '#platform/server/clean-text.ts';
import { callPublic, type OutgoingResponse } from '#platform/server/outgoing/outgoing-call.ts';

const TIME_LIMIT_MS = 30_000;
const MAX_BYTES = 32 * 1_048_576;

export type ShopCall = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers: Record<string, string>;
  body?: string;
};

/** Only tests may call stores on this machine. */
export type ShopOptions = { isLocal?: boolean };

/** The store responded with 401: it no longer accepts the token or the keys. */
export class UnauthorizedError extends StoreError {}

/**
 * Calls a store and returns its response with any status except 429 and 503. Throws if there is no
 * response, or the store is busy.
 */
export async function callShop(
  address: string,
  call: ShopCall,
  { isLocal = false }: ShopOptions,
): Promise<OutgoingResponse> {
  let response: OutgoingResponse;
  try {
    response = await callPublic(address, {
      ...call,
      timeoutMs: TIME_LIMIT_MS,
      maxBytes: MAX_BYTES,
      isTrusted: isLocal,
    });
  } catch (error) {
    throw new StoreError('unreachable', (error as Error).message);
  }
  const { status } = response;
  if (status === 429 || status === 503)
    throw new StoreError(
      'busy',
      `The store responded with status ${status}.`,
      retryAfterMs(response),
    );
  return response;
}

export async function requestShop(
  address: string,
  call: ShopCall,
  options: ShopOptions,
  signal: AbortSignal,
): Promise<{ response: OutgoingResponse; json: unknown }> {
  signal.throwIfAborted();
  const response = await callShop(address, call, options);
  const { status } = response;
  if (status === 401)
    throw new UnauthorizedError('refused', `The store responded with status ${status}.`);
  if (status === 403) throw new StoreError('refused', `The store responded with status ${status}.`);
  if (status === 404) throw new StoreError('not_a_shop', 'The address was not found.');
  if (status >= 300)
    throw new StoreError('unreachable', `The store responded with status ${status}.`);
  try {
    return { response, json: parseJson(response.body.toString('utf8')) };
  } catch {
    throw new StoreError('not_a_shop', 'The response is not JSON.');
  }
}

function retryAfterMs({ headers }: OutgoingResponse): number | undefined {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}
