// What the sign-in screens share: the typed calls, where to go afterwards, rules for what is typed.
import type { calls } from '#areas/accounts/contract.ts';
import { client } from '#platform/web/api.ts';
import { clearSignOutReason, tellEntered } from '#platform/web/session.ts';
import { isEmail } from '#platform/web/validators.ts';
import { PASSWORD_LEAST } from '../limits.ts';

export const api = client<typeof calls>();

/** A fresh page with the session's cookies, at the place that the last session ended at. */
export function enter(next: string): void {
  clearSignOutReason();
  tellEntered();
  location.assign(safePath(next));
}

/** Only a path of this product: never another site, whoever wrote the link. */
export function safePath(next: string): string {
  try {
    const url = new URL(next, location.origin);
    // `/.//other.example` is parsed as a path of here that begins with two slashes: another host.
    const path = url.pathname.replace(/^\/+/, '/');
    const isHere = url.origin === location.origin && !path.startsWith('/auth');
    return isHere ? path + url.search + url.hash : '/';
  } catch {
    return '/';
  }
}

/** The key of what is wrong with an address, or null. */
export function emailFault(email: string): string | null {
  if (email.trim() === '') return 'fields.emailRequired';
  return isEmail(email.trim()) ? null : 'platform:fields.email';
}

/** The key of what is wrong with a new password, or null. */
export function passwordFault(password: string): string | null {
  if (password === '') return 'fields.passwordRequired';
  return password.length < PASSWORD_LEAST ? 'fields.passwordShort' : null;
}
