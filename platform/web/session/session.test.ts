// @vitest-environment jsdom
// After a sign-in in another tab, an open tab reloads, unless it shows the same user and account.
import { afterEach, expect, it, vi } from 'vitest';
import { queryClient } from '../api/queries.ts';
import { sampleSession } from './sample-session.ts';
import { requireUser, type Session, sessionQuery, watchSession } from './session.ts';

const tabs = new BroadcastChannel('sendloom.session');
const fetchMock = vi.fn<typeof fetch>();
const session = (user: string, account: string): Session => ({
  user: { ...sampleSession.user, id: user, account },
  account: { ...sampleSession.account, id: account },
});

afterEach(() => {
  vi.unstubAllGlobals();
  queryClient.clear();
});

/** Shows a session in this tab while another tab signs in; returns whether this tab reloads. */
async function reloadsAfterSignIn(now: Session | undefined): Promise<boolean> {
  fetchMock.mockReset();
  fetchMock.mockImplementation(async () =>
    now ? new Response(JSON.stringify({ data: now })) : new Response('{}', { status: 503 }),
  );
  vi.stubGlobal('fetch', fetchMock);
  // Each case needs a new page, because a page that is about to reload no longer reacts.
  vi.resetModules();
  const page = await import('./session.ts');
  const { queryClient: cache } = await import('../api/queries.ts');
  cache.setQueryData(sessionQuery.queryKey, session('ada', 'tea'));
  const stop = page.watchSession();
  tabs.postMessage('entered');
  await vi.waitFor(() => expect(fetchMock).toHaveBeenCalled());
  await new Promise((resolve) => setTimeout(resolve, 50));
  stop();
  return cache.getQueryData(sessionQuery.queryKey) === undefined;
}

it('reloads if another tab signed in as another user or into another account, or if the session cannot be read', async () => {
  expect(await reloadsAfterSignIn(session('bo', 'cake'))).toBe(true);
  expect(await reloadsAfterSignIn(session('ada', 'cake'))).toBe(true);
  expect(await reloadsAfterSignIn(undefined)).toBe(true);
});

it('the page does not reload if the same user signed in again', async () => {
  expect(await reloadsAfterSignIn(session('ada', 'tea'))).toBe(false);
});

it('makes no request without a signed-in user', async () => {
  vi.stubGlobal('fetch', fetchMock);
  fetchMock.mockReset();
  const stop = watchSession();
  tabs.postMessage('entered');
  await new Promise((resolve) => setTimeout(resolve, 100));
  stop();
  expect(fetchMock).not.toHaveBeenCalled();
});

it('a page with a code in its URL stays open even if no user is signed in', async () => {
  vi.stubGlobal('fetch', async () => new Response('{}', { status: 401 }));
  history.replaceState(null, '', '/campaigns?code=abc');
  await expect(requireUser()).rejects.toMatchObject({ status: 401 });
  history.replaceState(null, '', '/');
});
