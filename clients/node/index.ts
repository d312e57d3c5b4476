// The official client of Sendloom's API, for Node.js 20 and newer. It needs nothing but Node.
import type { Calls } from './calls.generated.ts';

export type { Calls } from './calls.generated.ts';

export interface SendloomOptions {
  /** An API access token: Settings → API access tokens. */
  token: string;
  /** Where Sendloom stands: https://news.shop.example */
  baseUrl: string;
  /** Tries after the first, where a call failed by the network, 429, 502, 503 or 504. 4 where nothing is said. */
  retries?: number;
  /** Milliseconds for one try; 30,000 where nothing is said. */
  timeout?: number;
  fetch?: typeof fetch;
}

export type CallName = keyof Calls;

type Given<Name extends CallName> = Pick<
  Calls[Name],
  Extract<keyof Calls[Name], 'params' | 'query' | 'body'>
> & {
  /** Names the act: a repeat under the same key does nothing. One is made where none is given. */
  idempotencyKey?: string;
};
type Input<Name extends CallName> =
  Record<string, never> extends Given<Name> ? [input?: Given<Name>] : [input: Given<Name>];

/** What Sendloom answered where it is no success. */
export class SendloomError extends Error {
  readonly status: number;
  readonly code: string;
  /** Field → sentences of what is wrong with it. */
  readonly errors: Record<string, string[]>;

  constructor(status: number, body: { message?: unknown; code?: unknown; errors?: unknown }) {
    super(typeof body.message === 'string' ? body.message : `Sendloom answered ${status}`);
    this.name = 'SendloomError';
    this.status = status;
    this.code = typeof body.code === 'string' ? body.code : '';
    this.errors = (body.errors ?? {}) as Record<string, string[]>;
  }
}

const PASSING = new Set([429, 502, 503, 504]);
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

export class Sendloom {
  readonly #options: Required<SendloomOptions>;

  constructor(options: SendloomOptions) {
    const { retries = 4, timeout = 30_000, fetch: ask = fetch, token, baseUrl } = options;
    if (!token) throw new TypeError('A token is needed');
    this.#options = {
      token,
      baseUrl: baseUrl.replace(/(?<!\/)\/+$/, ''),
      retries,
      timeout,
      fetch: ask,
    };
  }

  /**
   * One call, by its method and path: `call('POST /v2/message/send', { body })`. Tried again where it may be,
   * under one Idempotency-Key, so that nothing happens twice.
   * @throws SendloomError, or the network's own error once no try is left
   */
  async call<Name extends CallName>(
    name: Name,
    ...[input]: Input<Name>
  ): Promise<Calls[Name]['answer']> {
    const { token, baseUrl, retries, timeout, fetch: ask } = this.#options;
    const given = (input ?? {}) as {
      params?: Record<string, unknown>;
      query?: Record<string, unknown>;
      body?: unknown;
      idempotencyKey?: string;
    };
    const [method = 'GET', path = ''] = name.split(' ');
    const url = baseUrl + pathOf(path, given.params ?? {}) + queryOf(given.query ?? {});
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
    };
    if (given.body !== undefined) headers['content-type'] = 'application/json';
    if (method === 'POST') headers['idempotency-key'] = given.idempotencyKey ?? crypto.randomUUID();
    const body = given.body === undefined ? undefined : JSON.stringify(given.body);
    for (let tried = 0; ; tried++) {
      const signal = AbortSignal.timeout(timeout);
      const request = { method, headers, signal, ...(body === undefined ? {} : { body }) };
      const answer = await ask(url, request).catch((error: Error) => error);
      const isLast = tried >= retries;
      if (answer instanceof Error) {
        if (isLast) throw answer;
      } else {
        const told = (await answer.json().catch(() => ({}))) as object;
        if (answer.ok) return told as Calls[Name]['answer'];
        const error = new SendloomError(answer.status, told);
        // A try of ours that timed out may still be under way.
        const isPassing = PASSING.has(answer.status) || error.code === 'in_progress';
        if (isLast || !isPassing) throw error;
      }
      await wait(tried, answer instanceof Error ? null : answer.headers.get('retry-after'));
    }
  }
}

function wait(tried: number, retryAfter: string | null): Promise<void> {
  const own = FIRST_WAIT_MS * 2 ** tried * (0.75 + Math.random() / 2);
  const asked = Number(retryAfter ?? 0) * 1000 || 0;
  const ms = Math.min(Math.max(own, asked), LONGEST_WAIT_MS);
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const pathOf = (path: string, params: Record<string, unknown>) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')));

function queryOf(query: Record<string, unknown>): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined && one !== null)
      .map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`),
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
