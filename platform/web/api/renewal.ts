// Keeps the session's access cookie fresh: renewed before it expires, by one tab at a time.
import { type ApiError, readApiError, networkError } from '../api-error.ts';

const LOCK_NAME = 'sendloom.session';
/**
 * Seconds before expiry at which the cookie is renewed; a cookie with a short lifetime is renewed
 * after nine tenths of it.
 */
const MARGIN_SECONDS = 60;
const MIN_INTERVAL_SECONDS = 30;

/**
 * When the current cookie was set, by the server's clock, and since when it has been valid, by the
 * browser's clock, which may differ.
 */
let seen: { set: number; since: number } | undefined;

export function cookie(name: string): string | undefined {
  const found = document.cookie.split('; ').find((pair) => pair.startsWith(`${name}=`));
  return found === undefined ? undefined : decodeURIComponent(found.slice(name.length + 1));
}

/** Seconds until the access cookie should be renewed; undefined without a session. */
export function renewalDue(now: number = Date.now() / 1000): number | undefined {
  const set = Number(cookie('token_set_time'));
  const ttl = Number(cookie('ttl'));
  if (!set || !ttl) {
    seen = undefined;
    return undefined;
  }
  // The age of the first cookie is only known from its content; later ones have just been set when
  // first seen.
  if (seen?.set !== set) seen = { set, since: seen ? now : Math.min(set, now) };
  return seen.since + ttl - Math.min(MARGIN_SECONDS, ttl / 10) - now;
}

/**
 * Renews once for all tabs: waiting tabs use the result. Only the server's 401 means that the
 * session has ended; other errors do not.
 */
export async function renewSession(): Promise<'renewed' | 'ended' | ApiError> {
  const before = cookie('token_set_time');
  return locked(async () => {
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
    const due = renewalDue();
    // Timers are suspended with the machine, so the check runs at least every minute. Without a
    // session, it renews nothing.
    timer = setTimeout(check, Math.min(60, Math.max(minSeconds, due ?? 60)) * 1000);
  };
  const check = async () => {
    const due = renewalDue();
    const isDue = due !== undefined && due <= 0 && navigator.onLine;
    if (isDue) await renewSession();
    plan(isDue ? MIN_INTERVAL_SECONDS : 1);
  };
  plan(1);
  return () => clearTimeout(timer);
}

async function locked<Result>(work: () => Promise<Result>): Promise<Result> {
  return 'locks' in navigator ? await navigator.locks.request(LOCK_NAME, work) : await work();
}
