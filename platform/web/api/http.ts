// One request to the product's own server: headers, JSON, and a second attempt after session
// renewal.
import { ApiError, readApiError, networkError } from '../api-error.ts';
import { clearEarlyResponses, consumeEarlyResponse } from './early-responses.ts';
import { renewSession } from './renewal.ts';

export interface HttpOptions {
  query?: Record<string, unknown>;
  body?: unknown;
  /** Sent unchanged instead of `body`, for example a file. */
  form?: FormData | Blob;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

type ErrorListener = (error: ApiError) => void;

const listeners = { unauthorized: new Set<ErrorListener>(), network: new Set<ErrorListener>() };
const responseListeners = new Set<() => void>();

/**
 * `unauthorized`: a 401 that renewal of the session did not resolve. `network`: a call without a
 * response.
 */
export function onHttp(event: keyof typeof listeners, listener: ErrorListener): () => void {
  listeners[event].add(listener);
  return () => listeners[event].delete(listener);
}

/** Calls the listener after every response of the server. */
export function onResponse(listener: () => void): () => void {
  responseListeners.add(listener);
  return () => responseListeners.delete(listener);
}

export async function http<Result>(
  method: string,
  path: string,
  options: HttpOptions = {},
): Promise<Result> {
  if (method === 'GET') {
    const earlyResponse = consumeEarlyResponse(path + queryString(options.query));
    if (earlyResponse !== undefined) return JSON.parse(earlyResponse) as Result;
  }
  return await bodyOf<Result>(await respond(method, path, options));
}

/** Returns the response of a successful call, after a renewal of the session if it is needed. */
export async function respond(
  method: string,
  path: string,
  options: HttpOptions = {},
): Promise<Response> {
  if (method !== 'GET') clearEarlyResponses();
  const headers = headersOf(options);
  let response = await send(method, path, options, headers);
  // A 401 of the sign-in service means wrong credentials, not an ended session.
  if (response.status === 401 && !path.startsWith('/auth/')) {
    const renewal = await renewSession();
    if (renewal instanceof ApiError) throw reportNetwork(renewal);
    if (renewal === 'renewed') {
      // The connection cannot be reused until the response body has been read.
      await response.text();
      response = await send(method, path, options, headers);
    }
  }
  if (response.ok) return response;
  const error = await readApiError(response);
  if (error.status === 401 && !path.startsWith('/auth/')) notifyListeners('unauthorized', error);
  throw error;
}

async function send(
  method: string,
  path: string,
  options: HttpOptions,
  headers: Record<string, string>,
): Promise<Response> {
  try {
    const response = await fetch(path + queryString(options.query), {
      method,
      credentials: 'same-origin',
      cache: 'no-cache',
      headers,
      body: options.form ?? (options.body === undefined ? undefined : JSON.stringify(options.body)),
      signal: options.signal,
    });
    for (const listener of responseListeners) listener();
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw reportNetwork(networkError());
  }
}

function headersOf(options: HttpOptions): Record<string, string> {
  const headers: Record<string, string> = {
    Accept: 'application/json',
    'Cache-Control': 'no-cache',
    'Accept-Language': document.documentElement.lang || 'en',
    // Required for writes (another site's page cannot send it) and a few guarded reads.
    'X-Sendloom': '1',
  };
  if (options.body !== undefined) headers['Content-Type'] = 'application/json';
  if (options.idempotencyKey) {
    if (!import.meta.env.PROD) requireUuid(options.idempotencyKey);
    headers['Idempotency-Key'] = options.idempotencyKey;
  }
  return headers;
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Browsers refuse header values that are not Latin-1, so a key made of user input would fail for
 * some users only. Development and tests refuse every key that is not a UUID.
 */
function requireUuid(key: string): void {
  if (!UUID.test(key)) throw new TypeError(`Idempotency-Key must be a UUID, not "${key}"`);
}

async function bodyOf<Result>(response: Response): Promise<Result> {
  const body = response.status === 204 ? '' : await response.text();
  return (body === '' ? undefined : JSON.parse(body)) as Result;
}

/** Omits undefined and null; repeats the name for each value of a list. */
export function queryString(query: Record<string, unknown> | undefined): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null) continue;
    for (const item of Array.isArray(value) ? value : [value]) pairs.append(name, String(item));
  }
  const search = pairs.toString();
  return search === '' ? '' : `?${search}`;
}

/** Notifies the listeners of network failures. */
function reportNetwork(error: ApiError): ApiError {
  if (error.status === 0) notifyListeners('network', error);
  return error;
}

function notifyListeners(event: keyof typeof listeners, error: ApiError): void {
  for (const listener of listeners[event]) listener(error);
}
