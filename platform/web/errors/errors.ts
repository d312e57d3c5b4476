// The shared error display: messages for failed calls in one place.
import { ApiError } from '../api-error.ts';
import { failure } from './notices.tsx';
import { isOnline } from '../online.ts';
import { createStore } from '../store.ts';
import { text } from '../texts/texts.ts';

/** True if a call got no response although the network is available: the shell offers to reload. */
export const reloadNeeded = createStore(false);

/** Codes with server messages for API clients only, which add nothing to the status. */
const CODES_WITHOUT_OWN_TEXT = new Set(['server_error', 'not_found']);

/** Returns the optional title and the text to show. Server messages are text, never markup. */
export function errorTexts(error: unknown): { title?: string; message: string } {
  if (!(error instanceof ApiError)) return { message: text('platform:errors.generic') };
  if (error.status === 429) return { message: text('platform:errors.tooManyRequests') };
  if (error.status === 0) return { message: text('platform:errors.network') };
  if (error.showsServerMessage && error.message) return { message: error.message };
  const fields = fieldLines(error);
  if (error.status === 422 && fields.length > 0) return { message: fields.join('\n') };
  const fallback = readFallbackTexts(error.status);
  if (error.message && !CODES_WITHOUT_OWN_TEXT.has(error.code)) {
    return { title: fallback.title, message: error.message };
  }
  return { message: fallback.message };
}

/** Shows the error for five seconds, unless it is a 401 or an aborted call, or while offline. */
export function showError(error: unknown): void {
  if (!isOnline() || isAbort(error)) return;
  if (error instanceof ApiError && error.status === 401) return;
  if (error instanceof ApiError && error.status === 0) reloadNeeded.set(true);
  const { title, message } = errorTexts(error);
  failure(message, { title, id: `error:${title ?? ''}${message}` });
}

/** Returns the messages of a 422 as `field: messages`, one line per field. */
export function fieldLines(error: ApiError): string[] {
  return Object.entries(error.errors).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
}

function readFallbackTexts(status: number): { title: string; message: string } {
  const key = status === 404 ? 'notFound' : status >= 500 ? 'server' : undefined;
  if (!key) {
    return { title: text('platform:errors.title'), message: text('platform:errors.generic') };
  }
  return {
    title: text(`platform:errors.${key}Title`),
    message: text(`platform:errors.${key}`, { generic: text('platform:errors.generic') }),
  };
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
