// Shared code of the sign-in screens: the typed API client, the redirect after sign-in, field
// validation.
import type { calls } from '#areas/accounts/contract.ts';
import { client } from '#platform/web/api/api.ts';
import { clearSignOutReason, broadcastEntered } from '#platform/web/session/session.ts';
import { isEmail } from '#platform/web/validators.ts';
import { MIN_PASSWORD } from '../shared.ts';

export const api = client<typeof calls>();

/**
 * Loads the app with the cookies of the new session on the page `next`, which may be where the last
 * session ended.
 */
export function enterApp(next: string): void {
  clearSignOutReason();
  broadcastEntered();
  location.assign(toSafePath(next));
}

/**
 * Returns `next` if it is a path of this product outside the sign-in screens, and otherwise `/`: a
 * link must not redirect to another site.
 */
export function toSafePath(next: string): string {
  try {
    const url = new URL(next, location.origin);
    // `/.//other.example` is parsed as a local path that begins with two slashes, which browsers
    // resolve as another host.
    const path = url.pathname.replace(/^\/+/, '/');
    const isHere = url.origin === location.origin && !path.startsWith('/auth');
    return isHere ? path + url.search + url.hash : '/';
  } catch {
    return '/';
  }
}

/** Returns the key of the error message for an email address, or null if the address is valid. */
export function findEmailIssue(email: string): string | null {
  if (email.trim() === '') return 'fields.emailRequired';
  return isEmail(email.trim()) ? null : 'platform:fields.email';
}

/** Returns the key of the error message for a new password, or null if the password is valid. */
export function findPasswordIssue(password: string): string | null {
  if (password === '') return 'fields.passwordRequired';
  return password.length < MIN_PASSWORD ? 'fields.passwordShort' : null;
}
