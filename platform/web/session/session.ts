// The signed-in session: signing out, forced sign-out with a reason, and switching the account and
// language.
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Right } from '../../rights.ts';
import { ApiError } from '../api-error.ts';
import { showError } from '../errors/errors.ts';
import { http, onHttp } from '../api/http.ts';
import type { Language } from '../texts/languages.ts';
import { accountZone, dateFormat } from '../texts/formats.ts';
import { isOnline } from '../online.ts';
import { queryClient } from '../api/queries.ts';
import { cookie, renewalDue } from '../api/renewal.ts';
import { resetStores } from '../store.ts';
import { getCurrentLanguage, showLanguage, requestedLanguage } from '../texts/texts.ts';
import { flushUnsaved } from '../unsaved.ts';

export interface SessionUser {
  id: string;
  email: string;
  name: string | null;
  surname: string | null;
  /** 2: onboarding is finished. */
  tour: number;
  account: string;
  language: Language;
}

export interface SessionAccount {
  id: string;
  title: string;
  /** Default language of the account's emails. */
  language: Language;
  timezone: string;
  country: string | null;
  /** auto: the language's date format; otherwise a format such as DD.MM.YYYY. */
  date_format?: string;
  website?: string | null;
  /** True if the account contains sample data, which its user can remove. */
  is_sample?: boolean;
}

/** A built-in substitute for an external service, with a separate page. */
export type TestTool = 'inbox' | 'phone' | 'cards' | 'shop' | 'hooks';

export interface Session {
  user: SessionUser;
  account: SessionAccount;
  /** Rights of the user; absent: all. */
  rights?: Right[];
  /** Emails stay in the built-in inbox of this machine and reach no recipient. */
  test_inbox?: boolean;
  /** The test tools that this browser can open. */
  test_tools?: TestTool[];
}

export const USERS_PATH = '/client-api/api/users';

export const sessionQuery = queryOptions({
  queryKey: USERS_PATH.split('/').filter(Boolean),
  queryFn: async ({ signal }) =>
    (await http<{ data: Session }>('GET', USERS_PATH, { signal })).data,
  staleTime: 5 * 60_000,
});

/** Returns the session outside components; undefined until it is loaded. */
export function readSession(): Session | undefined {
  return queryClient.getQueryData(sessionQuery.queryKey);
}

/** Returns the signed-in user and account; may be used only inside screens that need a session. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/**
 * Returns the signed-in user and account where a session is optional (the shell, public screens).
 */
export function useOptionalSession(): Session | undefined {
  return useQuery({ ...sessionQuery, enabled: false }).data;
}

export type SignOutReason = 'unauthorized' | 'userFetch';

const REASON_COOKIE = 'logout_reason';
const REASON_SECONDS = 120;

/** Returns why the session ended; undefined from two minutes after its end. */
export function signOutReason(): SignOutReason | undefined {
  const reason = cookie(REASON_COOKIE);
  return reason === 'unauthorized' || reason === 'userFetch' ? reason : undefined;
}

export function clearSignOutReason(): void {
  writeReason('', 0);
}

/** Signs out and goes to `/auth`, which the server redirects to AUTH_URL if it is set. */
export async function signOut(): Promise<void> {
  await flushUnsaved();
  await http('POST', '/auth/api/sign-out').catch(() => undefined);
  clearSignOutReason();
  otherTabs?.postMessage(SIGNED_OUT);
  leave();
}

/** Switches to another account of the same user. Unsaved edits stay with their account. */
export async function switchAccount(account: string): Promise<void> {
  await flushUnsaved();
  try {
    await http('POST', `${USERS_PATH}/accounts`, { body: { account } });
  } catch (error) {
    return showError(error);
  }
  // Other tabs show a session that is no longer signed in, so they reload as well.
  otherTabs?.postMessage(SWITCHED);
  restartApp();
}

/** Removes the account with sample data; a session in it continues in the user's own account. */
export async function removeSampleAccount(): Promise<void> {
  await http('DELETE', '/client-api/api/sample_account');
  otherTabs?.postMessage(SWITCHED);
  restartApp();
}

/**
 * Notifies other tabs that a user signed in here or joined an account. They check whether their own
 * session is still the current one.
 */
export function broadcastEntered(): void {
  otherTabs?.postMessage(ENTERED);
}

/** Notifies other tabs of sign-ins, sign-outs and switches of the account. */
const otherTabs =
  'BroadcastChannel' in globalThis ? new BroadcastChannel('sendloom.session') : undefined;
const SIGNED_OUT = 'signed-out';
const SWITCHED = 'switched';
const ENTERED = 'entered';

let isLeaving = false;

/**
 * True if another site redirected here with a `code`: the page then remains, even without a
 * session.
 */
const hasCode = () => new URLSearchParams(location.search).has('code');

/**
 * Ends a session that the server no longer accepts: stores unsaved edits and the reason, and goes
 * to sign-in. Returns false if the session must not end: offline, with a `code` parameter, or on
 * the sign-in screen.
 */
export function forceSignOut(reason: SignOutReason): boolean {
  if (isLeaving) return true;
  if (!isOnline() || location.pathname.startsWith('/auth')) return false;
  if (hasCode()) return false;
  isLeaving = true;
  writeReason(reason, REASON_SECONDS);
  void flushUnsaved().finally(() => leave(location.pathname + location.search));
  return true;
}

/**
 * Ends the session after every 401 that persists after renewal, and follows sign-ins and sign-outs
 * in other tabs.
 */
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

/**
 * Follows a sign-in, sign-out or account switch in another tab. Unsaved edits are stored for their
 * user. A tab without a session is left unchanged.
 */
async function follow({ data }: MessageEvent): Promise<void> {
  const cachedSession = queryClient.getQueryData(sessionQuery.queryKey);
  if (cachedSession === undefined || isLeaving) return;
  const isAnother = data === SWITCHED || (data === ENTERED && (await isAnotherThan(cachedSession)));
  if (isLeaving || (data !== SIGNED_OUT && !isAnother)) return;
  isLeaving = true;
  await flushUnsaved();
  if (isAnother) restartApp();
  else leave(location.pathname + location.search);
}

/**
 * Returns false if the session still has the same user and account: the user may merely have signed
 * in again. Returns true if the session cannot be read.
 */
async function isAnotherThan({ user, account }: Session): Promise<boolean> {
  try {
    const { data } = await http<{ data: Session }>('GET', USERS_PATH);
    return data.user.id !== user.id || data.account.id !== account.id;
  } catch {
    return true;
  }
}

/**
 * Returns the user for a screen that needs one; failing to load the user ends the session, unless
 * there was no response.
 */
export async function requireUser(): Promise<Session> {
  // A user who was not signed in before is redirected to sign-in without an error.
  const isKnown = queryClient.getQueryData(sessionQuery.queryKey) !== undefined;
  if (!isKnown && renewalDue() === undefined && isOnline() && !hasCode()) {
    goToSignIn(location.pathname + location.search);
    return await new Promise(() => undefined);
  }
  try {
    return await queryClient.ensureQueryData(sessionQuery);
  } catch (error) {
    const status = error instanceof ApiError ? error.status : -1;
    // The session may still exist if there is no response: the screen offers a retry.
    if (status === 0) throw error;
    const reason = status === 401 ? 'unauthorized' : 'userFetch';
    // Never resolves, so that nothing more is shown while the browser leaves the page.
    if (forceSignOut(reason)) return await new Promise(() => undefined);
    throw error;
  }
}

function restartApp(): void {
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

/** Clears the script-readable cookies of the session; the server clears the HttpOnly ones. */
function clearStored(): void {
  for (const name of ['token_set_time', 'ttl']) {
    document.cookie = `${name}=; path=/; max-age=0`;
  }
}

function writeReason(reason: string, seconds: number): void {
  document.cookie = `${REASON_COOKIE}=${reason}; path=/; max-age=${seconds}; samesite=lax`;
}

/**
 * Applies the user's language, and the account's date format and time zone, once they are known.
 */
export function useUserLanguage(): void {
  const session = useOptionalSession();
  const language = session?.user.language;
  const { date_format: form = 'auto', timezone: zone } = session?.account ?? {};
  useEffect(() => dateFormat.set(form), [form]);
  useEffect(() => {
    if (zone) accountZone.set(zone);
  }, [zone]);
  useEffect(() => {
    // A language that the user has just chosen is still loading. It is saved afterwards, and the
    // previously saved language must not replace it.
    if (!language || requestedLanguage() !== getCurrentLanguage()) return;
    if (language !== getCurrentLanguage()) void showLanguage(language);
  }, [language]);
}

/**
 * Shows a language immediately and saves it for a signed-in user; reverts to the previous one if
 * saving fails.
 */
export async function chooseLanguage(language: Language): Promise<void> {
  try {
    await showLanguage(language);
  } catch (error) {
    const savedLanguage = queryClient.getQueryData(sessionQuery.queryKey)?.user.language;
    // The language shown may be an earlier choice that was not saved because this choice followed.
    if (savedLanguage && requestedLanguage() === getCurrentLanguage())
      await showLanguage(savedLanguage);
    throw error;
  }
  const session = queryClient.getQueryData(sessionQuery.queryKey);
  // Another language may have been chosen while this one was loading.
  if (!session || getCurrentLanguage() !== language || session.user.language === language) return;
  const before = session.user.language;
  setLanguage(language);
  try {
    await http('PATCH', `${USERS_PATH}/${session.user.id}`, { body: { language } });
  } catch (error) {
    showError(error);
    const cachedSession = queryClient.getQueryData(sessionQuery.queryKey);
    if (cachedSession?.user.language === language) setLanguage(before);
    // A language that is still loading will replace this one anyway.
    if (requestedLanguage() !== language) return;
    await showLanguage(before);
  }
}

function setLanguage(language: Language): void {
  queryClient.setQueryData(
    sessionQuery.queryKey,
    (session) => session && { ...session, user: { ...session.user, language } },
  );
}
