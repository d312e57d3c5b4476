// The error for content whose checks found errors: the text of each, by the part of the email it is
// about.
import { AppError } from '#platform/server/errors.ts';
import { hasServerText } from '#platform/server/texts.ts';

export function contentInvalid(findings: readonly { part: string; code: string }[]): AppError {
  const errors: Record<string, string[]> = {};
  for (const { part, code } of findings) {
    const key = `refusals.${code}`;
    (errors[part] ??= []).push(hasServerText('content', key) ? `content:${key}` : code);
  }
  return new AppError('content_invalid', { errors, extra: { findings } });
}
