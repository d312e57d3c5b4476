// @vitest-environment jsdom
// Tests the typed client over HTTP: addresses, headers, responses, errors, session renewal.
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { z } from 'zod';
import { defineCalls } from '#platform/contract.ts';
import { ApiError, callKey, client } from './api.ts';
import { onHttp } from './http.ts';

const calls = defineCalls({
  list: {
    method: 'GET',
    path: '/client-api/api/things',
    caller: 'account',
    summary: 'Lists',
    query: z.strictObject({ page: z.number().optional(), words: z.array(z.string()).optional() }),
    response: z.object({ data: z.array(z.object({ id: z.string() })) }),
  },
  rename: {
    method: 'PATCH',
    path: '/client-api/api/things/{id}',
    caller: 'account',
    summary: 'Renames',
    params: z.object({ id: z.string() }),
    body: z.strictObject({ title: z.string() }),
    response: z.object({ data: z.object({ id: z.string(), title: z.string() }) }),
  },
});

const KEY = '0f8fad5b-d9cb-469f-a165-70867728950e';
const api = client<typeof calls>();
const fetchMock = vi.fn<typeof fetch>();

function respond(status: number, body: unknown, headers: Record<string, string> = {}): void {
  fetchMock.mockResolvedValueOnce(new Response(JSON.stringify(body), { status, headers }));
}

beforeEach(() => {
  fetchMock.mockReset();
  vi.stubGlobal('fetch', fetchMock);
});
afterEach(() => vi.unstubAllGlobals());

describe('requests', () => {
  it('requests fill the path, repeat list values in the query and omit undefined values', async () => {
    respond(200, { data: [] });
    await api('GET /client-api/api/things', { query: { page: 2, words: ['a b', 'ü'] } });
    expect(fetchMock.mock.calls[0]?.[0]).toBe(
      '/client-api/api/things?page=2&words=a+b&words=%C3%BC',
    );
    respond(200, { data: { id: 'a/b', title: 'x' } });
    await api('PATCH /client-api/api/things/{id}', { params: { id: 'a/b' }, body: { title: 'x' } });
    expect(fetchMock.mock.calls[1]?.[0]).toBe('/client-api/api/things/a%2Fb');
  });

  it('requests send JSON, no-cache, the language, the X-Sendloom header and the idempotency key', async () => {
    document.documentElement.lang = 'lt';
    respond(200, { data: { id: 'a', title: 'x' } });
    await api('PATCH /client-api/api/things/{id}', {
      params: { id: 'a' },
      body: { title: 'x' },
      idempotencyKey: KEY,
    });
    expect(fetchMock.mock.calls[0]?.[1]).toMatchObject({
      method: 'PATCH',
      body: '{"title":"x"}',
      cache: 'no-cache',
      headers: {
        Accept: 'application/json',
        'Accept-Language': 'lt',
        'Cache-Control': 'no-cache',
        'Content-Type': 'application/json',
        'Idempotency-Key': KEY,
        'X-Sendloom': '1',
      },
    });
  });

  it('an idempotency key that is not a UUID is refused', async () => {
    for (const key of ['چای', `${KEY} Šventė`, 'import:7', KEY.slice(1)]) {
      const call = api('PATCH /client-api/api/things/{id}', {
        params: { id: 'a' },
        body: { title: 'x' },
        idempotencyKey: key,
      });
      await expect(call, key).rejects.toThrow('UUID');
    }
    expect(fetchMock).not.toHaveBeenCalled();
  });

  it('the cache key consists of the path segments, so all queries below a path can be refetched', () => {
    expect(callKey('GET /client-api/api/things/{id}', { params: { id: 7 } })).toEqual([
      'client-api',
      'api',
      'things',
      '7',
    ]);
    expect(api.query('GET /client-api/api/things', { query: { page: 1 } }).queryKey).toEqual([
      'client-api',
      'api',
      'things',
      { query: { page: 1 } },
    ]);
  });

  it("requests have the contract's types", () => {
    expectTypeOf(api<'GET /client-api/api/things'>).returns.resolves.toEqualTypeOf<{
      data: { id: string }[];
    }>();
    // @ts-expect-error the body is missing
    const missing = () => api('PATCH /client-api/api/things/{id}', { params: { id: 'a' } });
    // @ts-expect-error no such call
    const unknown = () => api('GET /client-api/api/nothing');
    expect([missing, unknown]).toHaveLength(2);
  });
});

describe('failures', () => {
  const failing = () => api('GET /client-api/api/things').catch((error: unknown) => error);

  it('failures include status, code, message, field errors and the time to wait', async () => {
    respond(
      429,
      {
        code: 'too_many_requests',
        message: 'Slow down',
        errors: { title: 'One', size: ['A', 'B'] },
      },
      { 'retry-after': '7', 'x-request-id': 'r1' },
    );
    expect(await failing()).toMatchObject({
      status: 429,
      code: 'too_many_requests',
      message: 'Slow down',
      errors: { title: ['One'], size: ['A', 'B'] },
      retryAfterSeconds: 7,
      requestId: 'r1',
    });
  });

  it('failures accept a message that is an object of strings or lists, and the raw flag', async () => {
    respond(400, { message: { value: ['One.', 'Two.'] }, raw_message: true });
    expect(await failing()).toMatchObject({ message: 'One. Two.', showsServerMessage: true });
  });

  it('failures include the status of a response that is not JSON', async () => {
    fetchMock.mockResolvedValueOnce(new Response('<html>Bad gateway</html>', { status: 502 }));
    expect(await failing()).toMatchObject({ status: 502, code: 'http_502', message: '' });
  });

  it('a missing response is reported as a failure', async () => {
    const received = vi.fn<(error: ApiError) => void>();
    const stop = onHttp('network', received);
    fetchMock.mockRejectedValueOnce(new TypeError('Failed to fetch'));
    expect(await failing()).toMatchObject({ status: 0, code: 'network' });
    expect(received).toHaveBeenCalledTimes(1);
    stop();
  });

  it('a 401 response renews the session once and repeats the call', async () => {
    respond(401, {});
    respond(200, { data: {} });
    respond(200, { data: [{ id: 'a' }] });
    expect(await api('GET /client-api/api/things')).toEqual({ data: [{ id: 'a' }] });
    expect(fetchMock.mock.calls.map(([path]) => path)).toEqual([
      '/client-api/api/things',
      '/auth/api/refresh',
      '/client-api/api/things',
    ]);
  });

  it('a failed renewal does not end the session', async () => {
    const onEnded = vi.fn<(error: ApiError) => void>();
    const onLost = vi.fn<(error: ApiError) => void>();
    const stops = [onHttp('unauthorized', onEnded), onHttp('network', onLost)];
    respond(401, {});
    respond(503, { code: 'unavailable' });
    expect(await failing()).toMatchObject({ status: 503, code: 'unavailable' });
    respond(401, {});
    fetchMock.mockRejectedValueOnce(new TypeError('Failed to fetch'));
    expect(await failing()).toMatchObject({ status: 0, code: 'network' });
    expect(onEnded).not.toHaveBeenCalled();
    expect(onLost).toHaveBeenCalledTimes(1);
    for (const stop of stops) stop();
  });

  it('a call that gets 401 fails if the renewal also gets 401', async () => {
    const received = vi.fn<(error: ApiError) => void>();
    const stop = onHttp('unauthorized', received);
    respond(401, {});
    respond(401, {});
    expect(await failing()).toBeInstanceOf(ApiError);
    expect(received).toHaveBeenCalledTimes(1);
    stop();
  });
});
