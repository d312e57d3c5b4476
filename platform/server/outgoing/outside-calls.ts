// JSON calls to other services: a time limit, a size limit, no redirects, retries while a service
// is busy or unavailable, and distinct failures with actionable messages.
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { parseJson } from '../clean-text.ts';

export type OutsideCode = 'key_refused' | 'not_there' | 'service_busy' | 'service_unavailable';

export class OutsideFailure extends Error {
  readonly code: OutsideCode;

  constructor(code: OutsideCode, details: string) {
    super(`${code}: ${details}`);
    this.name = 'OutsideFailure';
    this.code = code;
  }
}

export interface OutsideCall {
  url: string;
  method?: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: unknown;
  signal: AbortSignal;
  /** Maximum attempts to reach a busy or failing service, and the longest pause between them. */
  maxAttempts: number;
  maxPauseMs: number;
}

export interface OutsideResponse {
  body: unknown;
  headers: Headers;
}

const TIME_LIMIT_MS = 60_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Returns the response of a successful call; throws OutsideFailure otherwise. Also throws if
 * `signal` is aborted: its reason, or an AbortError during a pause.
 */
export async function callOutside(call: OutsideCall): Promise<OutsideResponse> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await requestOnce(call);
    if (!(outcome instanceof RefusedResponse)) return outcome;
    const { failure, pauseMs } = outcome;
    const isTemporary = failure.code === 'service_busy' || failure.code === 'service_unavailable';
    if (!isTemporary || attempt >= call.maxAttempts) throw failure;
    const waitMs = pauseMs ?? 1000 * 2 ** (attempt - 1);
    await sleep(Math.min(waitMs, call.maxPauseMs), undefined, { signal: call.signal });
  }
}

/**
 * Validates the response against its documented form; a service that deviates is treated as
 * failing.
 */
export function validateBody<T>(body: unknown, form: z.ZodType<T>): T {
  const parsed = form.safeParse(body);
  if (!parsed.success)
    throw new OutsideFailure('service_unavailable', 'the response has an unexpected form');
  return parsed.data;
}

class RefusedResponse {
  readonly failure: OutsideFailure;
  readonly pauseMs: number | undefined;

  constructor(failure: OutsideFailure, pauseMs?: number) {
    this.failure = failure;
    this.pauseMs = pauseMs;
  }
}

async function requestOnce(call: OutsideCall): Promise<OutsideResponse | RefusedResponse> {
  const { url, method = 'GET', body, signal } = call;
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': 'Sendloom',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]),
    });
    text = await textOf(response);
  } catch (error) {
    signal.throwIfAborted();
    return new RefusedResponse(new OutsideFailure('service_unavailable', (error as Error).message));
  }
  if (!response.ok) return refusalOf(response);
  try {
    return { body: parseJson(text), headers: response.headers };
  } catch {
    return new RefusedResponse(
      new OutsideFailure('service_unavailable', 'the response is not JSON'),
    );
  }
}

function refusalOf(response: Response): RefusedResponse {
  const { status, headers } = response;
  const detail = `status ${status}`;
  if (status === 401) return new RefusedResponse(new OutsideFailure('key_refused', detail));
  // Some services respond 403 without JSON when rate-limited.
  const isJson = (headers.get('content-type') ?? '').includes('json');
  if (status === 403 && isJson)
    return new RefusedResponse(new OutsideFailure('key_refused', detail));
  if (status === 404 || status === 400 || status === 405 || status === 422)
    return new RefusedResponse(new OutsideFailure('not_there', detail));
  if (status === 429 || status === 403)
    return new RefusedResponse(new OutsideFailure('service_busy', detail), pauseOf(headers));
  return new RefusedResponse(new OutsideFailure('service_unavailable', detail), pauseOf(headers));
}

/** Milliseconds, from the seconds in Retry-After or X-RateLimit-Reset. */
function pauseOf(headers: Headers): number | undefined {
  const seconds = Number(
    headers.get('retry-after') ?? /^\d+/.exec(headers.get('x-ratelimit-reset') ?? '')?.[0],
  );
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}

async function textOf(response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error('the response is too large');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
