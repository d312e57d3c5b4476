// @vitest-environment jsdom
// A tab that is open while another one signs in acts for whom it shows, or starts anew.
import { afterEach, expect, it, vi } from 'vitest';
import { queryClient } from './queries.ts';
import { sampleSession } from './sample-session.ts';
import { requireUser, type Session, sessionQuery, watchSession } from './session.ts';

const tabs = new BroadcastChannel('sendloom.session');
const fetched = vi.fn<typeof fetch>();
const session = (user: string, account: string): Session => ({
  user: { ...sampleSession.user, id: user, account },
  account: { ...sampleSession.account, id: account },
});

afterEach(() => {
  vi.unstubAllGlobals();
  queryClient.clear();
});

/** This tab shows one session, another tab signed in; tells whether this one lets go of what it shows. */
async function entering(now: Session | undefined): Promise<boolean> {
  fetched.mockReset();
  fetched.mockImplementation(async () =>
    now ? new Response(JSON.stringify({ data: now })) : new Response('{}', { status: 503 }),
  );
  vi.stubGlobal('fetch', fetched);
  // Each time as a page of its own: one that is about to leave follows nobody any more.
  vi.resetModules();
  const page = await import('./session.ts');
  const { queryClient: cache } = await import('./queries.ts');
  cache.setQueryData(sessionQuery.queryKey, session('ada', 'tea'));
  const stop = page.watchSession();
  tabs.postMessage('entered');
  await vi.waitFor(() => expect(fetched).toHaveBeenCalled());
  await new Promise((done) => setTimeout(done, 50));
  stop();
  return cache.getQueryData(sessionQuery.queryKey) === undefined;
}

it('starts anew where another tab signed in as somebody else, or into another account', async () => {
  expect(await entering(session('bo', 'cake'))).toBe(true);
  expect(await entering(session('ada', 'cake'))).toBe(true);
  expect(await entering(undefined)).toBe(true);
});

it('stays as it is where the same person signed in again', async () => {
  expect(await entering(session('ada', 'tea'))).toBe(false);
});

it('asks nothing where nobody was signed in', async () => {
  vi.stubGlobal('fetch', fetched);
  fetched.mockReset();
  const stop = watchSession();
  tabs.postMessage('entered');
  await new Promise((done) => setTimeout(done, 100));
  stop();
  expect(fetched).not.toHaveBeenCalled();
});

it('leaves no page that somebody comes back to with a code, though nobody is signed in', async () => {
  vi.stubGlobal('fetch', async () => new Response('{}', { status: 401 }));
  history.replaceState(null, '', '/campaigns?code=abc');
  await expect(requireUser()).rejects.toMatchObject({ status: 401 });
  history.replaceState(null, '', '/');
});
