// Errors of the automation screens. A server error without a specific message gets the text of
// these screens; all other errors use the general messages.
import { ApiError } from '#platform/web/api-error.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { failure } from '#platform/web/errors/notices.tsx';
import { text } from '#platform/web/texts/texts.ts';

/** Returns undefined if the general error messages apply. */
export function formatAutomationError(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { status, code, message } = error;
  const isServers = status >= 400 && ![401, 422, 429].includes(status);
  if (!isServers || (message !== '' && code !== 'server_error')) return undefined;
  return text('workflows:serverError');
}

export function showAutomationError(error: unknown): void {
  const message = formatAutomationError(error);
  if (message === undefined) showError(error);
  else failure(message, { id: `error:${message}` });
}
