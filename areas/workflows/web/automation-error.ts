// What a failed call of the automation screens shows: each field of a 422, else the server's message or, without one,
// the words that the specification names for these screens.
import { ApiError } from '#platform/web/api-error.ts';
import { showError } from '#platform/web/errors.ts';
import { failure } from '#platform/web/notices.tsx';
import { text } from '#platform/web/texts.ts';

/** Undefined where the words of all screens hold here, too. */
export function automationWords(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { status, code, message } = error;
  const isServers = status >= 400 && ![401, 422, 429].includes(status);
  if (!isServers || (message !== '' && code !== 'server_error')) return undefined;
  return text('workflows:serverError');
}

export function showAutomationError(error: unknown): void {
  const words = automationWords(error);
  if (words === undefined) showError(error);
  else failure(words, { id: `error:${words}` });
}
