// @vitest-environment jsdom
// The access cookie is renewed before it expires, once for concurrent callers.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startRenewal, renewalDue, renewSession } from './renewal.ts';

const fetchMock = vi.fn<typeof fetch>();

function signIn(setTime: number, ttl: number): void {
  document.cookie = `token_set_time=${setTime}; path=/`;
  document.cookie = `ttl=${ttl}; path=/`;
}

beforeEach(() => {
  fetchMock.mockReset();
  vi.stubGlobal('fetch', fetchMock);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.cookie = 'token_set_time=; path=/; max-age=0';
  document.cookie = 'ttl=; path=/; max-age=0';
  // Without cookies, this call forgets the recorded session.
  renewalDue();
});

it('the renewal is due a minute before expiry, or at nine tenths of a short lifetime', () => {
  expect(renewalDue(1000)).toBeUndefined();
  signIn(1000, 900);
  expect(renewalDue(1000)).toBe(840);
  signIn(1000, 100);
  expect(renewalDue(1000)).toBe(90);
});

it('reports a renewed session, an ended session, or the failure of the renewal', async () => {
  fetchMock.mockResolvedValueOnce(new Response('{}'));
  expect(await renewSession()).toBe('renewed');
  fetchMock.mockResolvedValueOnce(new Response('{}', { status: 401 }));
  expect(await renewSession()).toBe('ended');
  fetchMock.mockResolvedValueOnce(
    new Response('{"code":"unavailable"}', { status: 503, headers: { 'retry-after': '5' } }),
  );
  expect(await renewSession()).toMatchObject({
    status: 503,
    code: 'unavailable',
    retryAfterSeconds: 5,
  });
  fetchMock.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  expect(await renewSession()).toMatchObject({ status: 0, code: 'network' });
});

it('sends one request for several waiting tabs', async () => {
  let last: Promise<unknown> = Promise.resolve();
  const request = (_: string, work: () => Promise<unknown>) => {
    last = last.then(work);
    return last;
  };
  vi.stubGlobal('navigator', Object.create(navigator, { locks: { value: { request } } }));
  const now = Date.now() / 1000;
  signIn(Math.floor(now) - 1000, 900);
  fetchMock.mockImplementation(async () => {
    signIn(Math.floor(now), 900);
    return new Response('{}');
  });
  expect(await Promise.all([renewSession(), renewSession(), renewSession()])).toEqual([
    'renewed',
    'renewed',
    'renewed',
  ]);
  expect(fetchMock).toHaveBeenCalledTimes(1);
});

it('renews automatically before the cookie expires', async () => {
  vi.useFakeTimers();
  signIn(Math.floor(Date.now() / 1000), 900);
  fetchMock.mockImplementation(async () => {
    signIn(Math.floor(Date.now() / 1000), 900);
    return new Response('{}');
  });
  const stop = startRenewal();
  await vi.advanceTimersByTimeAsync(830_000);
  expect(fetchMock).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(fetchMock).toHaveBeenCalledTimes(1);
  stop();
});

it.each([
  ['an hour ahead', 3600],
  ['twenty minutes ahead', 1200],
  ['an hour behind', -3600],
])("does not renew more often if the browser's clock is %s", async (_, ahead) => {
  vi.useFakeTimers();
  const ofServer = () => Math.floor(Date.now() / 1000) - ahead;
  signIn(ofServer(), 900);
  fetchMock.mockImplementation(async () => {
    signIn(ofServer(), 900);
    return new Response('{}');
  });
  const stop = startRenewal();
  await vi.advanceTimersByTimeAsync(3600_000);
  // The age of the first cookie is unknown; the age of later ones is measured.
  expect(fetchMock.mock.calls.length).toBeGreaterThanOrEqual(4);
  expect(fetchMock.mock.calls.length).toBeLessThanOrEqual(5);
  stop();
});

it('tries a failing renewal at most every half minute', async () => {
  vi.useFakeTimers();
  signIn(Math.floor(Date.now() / 1000) - 899, 900);
  expect(renewalDue()).toBeLessThan(1);
  fetchMock.mockImplementation(async () => new Response('{}', { status: 503 }));
  const stop = startRenewal();
  await vi.advanceTimersByTimeAsync(310_000);
  expect(fetchMock.mock.calls.length).toBeGreaterThanOrEqual(10);
  expect(fetchMock.mock.calls.length).toBeLessThanOrEqual(11);
  stop();
});
