// Keeps the session's access cookie fresh: renewed before it expires, by one tab at a time.
import { type ApiError, readApiError, networkError } from '../api-error.ts';

const LOCK_NAME = 'sendloom.session';
/**
 * The cookie is renewed this many seconds before expiry, or after nine tenths of a short lifetime.
 */
const MARGIN_SECONDS = 60;
const MIN_INTERVAL_SECONDS = 30;

/**
 * When the current cookie was set, by the server's clock, and when its validity began, by the
 * browser's clock, which may differ.
 */
let lastSeen: { setAt: number; validSince: number } | undefined;

export function cookie(name: string): string | undefined {
  const pair = document.cookie.split('; ').find((pair) => pair.startsWith(`${name}=`));
  return pair === undefined ? undefined : decodeURIComponent(pair.slice(name.length + 1));
}

/** Seconds until the access cookie should be renewed; undefined without a session. */
export function renewalDue(now: number = Date.now() / 1000): number | undefined {
  const setAt = Number(cookie('token_set_time'));
  const ttl = Number(cookie('ttl'));
  if (!setAt || !ttl) {
    lastSeen = undefined;
    return undefined;
  }
  // The age of the first cookie is only known from its content; later ones have just been set when
  // first seen.
  if (lastSeen?.setAt !== setAt)
    lastSeen = { setAt, validSince: lastSeen ? now : Math.min(setAt, now) };
  return lastSeen.validSince + ttl - Math.min(MARGIN_SECONDS, ttl / 10) - now;
}

/**
 * Renews once for all tabs: waiting tabs use the result. Only the server's 401 means that the
 * session has ended; other errors do not.
 */
export async function renewSession(): Promise<'renewed' | 'ended' | ApiError> {
  const before = cookie('token_set_time');
  return runLocked(async () => {
    if (cookie('token_set_time') !== before && (renewalDue() ?? 0) > 0) return 'renewed';
    try {
      const response = await fetch('/auth/api/refresh', {
        method: 'POST',
        credentials: 'same-origin',
        headers: { Accept: 'application/json', 'X-Sendloom': '1' },
      });
      if (!response.ok && response.status !== 401) return await readApiError(response);
      // An unread response body keeps the connection from being reused.
      await response.text();
      return response.ok ? 'renewed' : 'ended';
    } catch {
      return networkError();
    }
  });
}

/** Renews in time while the page is open; returns the function that stops it. */
export function startRenewal(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const plan = (minSeconds: number) => {
    const dueSeconds = renewalDue();
    // Timers are suspended with the machine, so the check runs at least every minute. Without a
    // session, it renews nothing.
    timer = setTimeout(check, Math.min(60, Math.max(minSeconds, dueSeconds ?? 60)) * 1000);
  };
  const check = async () => {
    const dueSeconds = renewalDue();
    const isDue = dueSeconds !== undefined && dueSeconds <= 0 && navigator.onLine;
    if (isDue) await renewSession();
    plan(isDue ? MIN_INTERVAL_SECONDS : 1);
  };
  plan(1);
  return () => clearTimeout(timer);
}

async function runLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  return 'locks' in navigator ? await navigator.locks.request(LOCK_NAME, work) : await work();
}
