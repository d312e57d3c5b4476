// Creates the AppError for content with errors. Its `errors` contain the text of each error under
// the part of the email that has the error.
import { AppError } from '#platform/server/errors.ts';
import { formatFieldIssue } from '#platform/server/http/field-errors.ts';
import { hasServerText } from '#platform/server/texts.ts';

type ContentRejection = { part: string; code: string; values?: Record<string, string | number> };

export function createContentError(findings: readonly ContentRejection[]): AppError {
  const errors: Record<string, string[]> = {};
  for (const { part, code, values } of findings) {
    const key = `refusals.${code}`;
    (errors[part] ??= []).push(
      hasServerText('content', key) ? formatFieldIssue(`content:${key}`, values) : code,
    );
  }
  return new AppError('content_invalid', { errors, extra: { findings } });
}
