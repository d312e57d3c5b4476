// Who is signed in, and the two ways out: by choice, and forced with a reason.
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError } from './api-error.ts';
import { showError } from './errors.ts';
import { http, onHttp } from './http.ts';
import type { Language } from './languages.ts';
import { accountZone, dateFormat } from './formats.ts';
import { isOnline } from './online.ts';
import { queryClient } from './queries.ts';
import { cookie, renewalDue } from './renewal.ts';
import { resetStores } from './store.ts';
import { currentLanguage, showLanguage, wantedLanguage } from './texts.ts';
import { flushUnsaved } from './unsaved.ts';

export interface User {
  id: string;
  email: string;
  name: string | null;
  surname: string | null;
  /** 2: onboarding is finished. */
  tour: number;
  account: string;
  language: Language;
}

export interface Account {
  id: string;
  title: string;
  /** Of its mails, where they say none themselves. */
  language: Language;
  timezone: string;
  country: string | null;
  /** auto: as the language writes dates; else a form such as DD.MM.YYYY. */
  date_format?: string;
}

export interface Session {
  user: User;
  account: Account;
  /** Emails stay on this machine, in the built-in inbox: nobody gets them. */
  test_inbox?: boolean;
}

export const usersPath = '/client-api/api/users';

export const sessionQuery = queryOptions({
  queryKey: usersPath.split('/').filter(Boolean),
  queryFn: async ({ signal }) => (await http<{ data: Session }>('GET', usersPath, { signal })).data,
  staleTime: 5 * 60_000,
});

/** The same outside of screens, where it is known by now. */
export function readSession(): Session | undefined {
  return queryClient.getQueryData(sessionQuery.queryKey);
}

/** The signed-in user and account; only inside screens that need a session. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** The same where there may be none (the shell, public screens). */
export function useMaybeSession(): Session | undefined {
  return useQuery({ ...sessionQuery, enabled: false }).data;
}

export type SignOutReason = 'unauthorized' | 'userFetch';

const reasonCookie = 'logout_reason';
const reasonSeconds = 120;

/** Why the session ended, for two minutes after it. */
export function signOutReason(): SignOutReason | undefined {
  const reason = cookie(reasonCookie);
  return reason === 'unauthorized' || reason === 'userFetch' ? reason : undefined;
}

export function clearSignOutReason(): void {
  writeReason('', 0);
}

/** Leaves for the sign-in service; the server sends `/auth` on to AUTH_URL where one is set. */
export async function signOut(): Promise<void> {
  await flushUnsaved();
  await http('POST', '/auth/api/sign-out').catch(() => undefined);
  clearSignOutReason();
  otherTabs?.postMessage(signedOut);
  leave();
}

/** Goes to another account of the same person. What is unsaved stays with the one it belongs to. */
export async function switchAccount(account: string): Promise<void> {
  await flushUnsaved();
  try {
    await http('POST', `${usersPath}/accounts`, { body: { account } });
  } catch (error) {
    return showError(error);
  }
  // The other tabs show what is no longer signed in to: they start anew as well.
  otherTabs?.postMessage(switched);
  startAnew();
}

/** Somebody signed in here, perhaps somebody else, or joined an account: the other tabs see who it is. */
export function tellEntered(): void {
  otherTabs?.postMessage(entered);
}

/** Signing out in one tab reaches the others at once. */
const otherTabs =
  'BroadcastChannel' in globalThis ? new BroadcastChannel('sendloom.session') : undefined;
const signedOut = 'signed-out';
const switched = 'switched';
const entered = 'entered';

let isLeaving = false;

/** Somebody comes back from elsewhere with a `code` for the page: it is not left, whoever is signed in. */
const hasCode = () => new URLSearchParams(location.search).has('code');

/**
 * The server no longer knows the session: keep what was typed, remember why, go to sign-in.
 * False where the session is not to be ended: offline, with a `code` parameter, at sign-in itself.
 */
export function forceSignOut(reason: SignOutReason): boolean {
  if (isLeaving) return true;
  if (!isOnline() || location.pathname.startsWith('/auth')) return false;
  if (hasCode()) return false;
  isLeaving = true;
  writeReason(reason, reasonSeconds);
  void flushUnsaved().finally(() => leave(location.pathname + location.search));
  return true;
}

/** Every 401 that renewing did not heal ends the session; what other tabs do with it is followed. */
export function watchSession(): () => void {
  otherTabs?.addEventListener('message', follow);
  const stop = onHttp('unauthorized', () => {
    forceSignOut('unauthorized');
  });
  return () => {
    otherTabs?.removeEventListener('message', follow);
    stop();
  };
}

/** What was typed here is kept for the same person; a page that needs nobody signed in stays. */
async function follow({ data }: MessageEvent): Promise<void> {
  const known = queryClient.getQueryData(sessionQuery.queryKey);
  if (known === undefined || isLeaving) return;
  const isAnother = data === switched || (data === entered && (await isAnotherThan(known)));
  if (isLeaving || (data !== signedOut && !isAnother)) return;
  isLeaving = true;
  await flushUnsaved();
  if (isAnother) startAnew();
  else leave(location.pathname + location.search);
}

/** Whoever only signed in again stays where they are. */
async function isAnotherThan({ user, account }: Session): Promise<boolean> {
  try {
    const { data } = await http<{ data: Session }>('GET', usersPath);
    return data.user.id !== user.id || data.account.id !== account.id;
  } catch {
    return true;
  }
}

/** The user for a screen that needs one; failing to fetch it ends the session, unless nothing answered. */
export async function requireUser(): Promise<Session> {
  // Nobody was signed in here: that is no error, only the way to sign-in.
  const isKnown = queryClient.getQueryData(sessionQuery.queryKey) !== undefined;
  if (!isKnown && renewalDue() === undefined && isOnline() && !hasCode()) {
    goToSignIn(location.pathname + location.search);
    return await new Promise(() => undefined);
  }
  try {
    return await queryClient.ensureQueryData(sessionQuery);
  } catch (error) {
    const status = error instanceof ApiError ? error.status : -1;
    // No answer says nothing about the session: the screen offers to try again.
    if (status === 0) throw error;
    const reason = status === 401 ? 'unauthorized' : 'userFetch';
    // On the way out nothing more is shown: the page is about to be left.
    if (forceSignOut(reason)) return await new Promise(() => undefined);
    throw error;
  }
}

function startAnew(): void {
  resetStores();
  queryClient.clear();
  location.assign('/');
}

function leave(from?: string): void {
  resetStores();
  queryClient.clear();
  clearStored();
  goToSignIn(from);
}

function goToSignIn(from?: string): void {
  const next = from && from !== '/' ? `?next=${encodeURIComponent(from)}` : '';
  location.assign(`/auth${next}`);
}

/** The readable half of the session's cookies; the HttpOnly half is the server's to clear. */
function clearStored(): void {
  for (const name of ['token_set_time', 'ttl']) {
    document.cookie = `${name}=; path=/; max-age=0`;
  }
}

function writeReason(reason: string, seconds: number): void {
  document.cookie = `${reasonCookie}=${reason}; path=/; max-age=${seconds}; samesite=lax`;
}

/** Turns the interface to the user's own language and the account's dates when they become known. */
export function useUserLanguage(): void {
  const { user, account } = useSession();
  const { language } = user;
  const { date_format: form = 'auto', timezone: zone } = account;
  useEffect(() => dateFormat.set(form), [form]);
  useEffect(() => accountZone.set(zone), [zone]);
  useEffect(() => {
    // One that was just chosen is on its way, and becomes the user's own.
    if (wantedLanguage() !== currentLanguage()) return;
    if (language !== currentLanguage()) void showLanguage(language);
  }, [language]);
}

/** Shows a language at once, and remembers it for the user where one is signed in; the one before where it cannot. */
export async function chooseLanguage(language: Language): Promise<void> {
  try {
    await showLanguage(language);
  } catch (error) {
    const kept = queryClient.getQueryData(sessionQuery.queryKey)?.user.language;
    // The one that is shown could not be saved meanwhile.
    if (kept && wantedLanguage() === currentLanguage()) await showLanguage(kept);
    throw error;
  }
  const session = queryClient.getQueryData(sessionQuery.queryKey);
  // Another one may have been chosen while this one was fetched.
  if (!session || currentLanguage() !== language || session.user.language === language) return;
  const before = session.user.language;
  setLanguage(language);
  try {
    await http('PATCH', `${usersPath}/${session.user.id}`, { body: { language } });
  } catch (error) {
    showError(error);
    const known = queryClient.getQueryData(sessionQuery.queryKey);
    if (known?.user.language === language) setLanguage(before);
    // One that is still being fetched replaces this one anyway.
    if (wantedLanguage() !== language) return;
    await showLanguage(before);
  }
}

function setLanguage(language: Language): void {
  queryClient.setQueryData(
    sessionQuery.queryKey,
    (known) => known && { ...known, user: { ...known.user, language } },
  );
}
