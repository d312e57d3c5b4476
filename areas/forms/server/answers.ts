// Answers of a sign-up as strings, and their validation: the rules shared with the browser, and
// rules that only the server can check. An address that could not be stored is an error here, so
// that no sign-up is lost silently later.
import type { Snapshot } from '#embed/forms/shared/document.ts';
import { type FormAnswers, findFaults, toPlainDigits } from '#embed/forms/shared/validate.ts';
import type { TextKey } from '#embed/forms/shared/text-keys.ts';
import { readAccount } from '#areas/accounts/server/index.ts';
import { parseEmail, parsePhone, type PhoneIssue } from '#areas/subscribers/server/index.ts';
import type { Db } from '#platform/server/database/database.ts';

const MAX_CHOICES = 200;

/** Removes NUL and replaces lone surrogates, because PostgreSQL cannot store them. */
export const toStorableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Reads the submitted values of the form's fields and ignores all other data. */
export function readAnswers(snapshot: Snapshot, data: Record<string, unknown>): FormAnswers {
  const answers: FormAnswers = Object.create(null) as FormAnswers;
  for (const rule of snapshot.rules) {
    const { key } = rule;
    const value = Object.hasOwn(data, key) ? data[key] : undefined;
    if (typeof value === 'string') answers[key] = toPlainDigits(rule, toStorableText(value)).trim();
    else if (Array.isArray(value)) {
      answers[key] = value
        .filter((choice): choice is string => typeof choice === 'string')
        .slice(0, MAX_CHOICES)
        .map((choice) => toStorableText(choice).trim());
    }
  }
  return answers;
}

/** Returns error messages by field; empty if the sign-up can be recorded. */
export async function validateAnswers(
  db: Db,
  accountId: number,
  { rules, words: texts }: Snapshot,
  answers: FormAnswers,
): Promise<Record<string, string>> {
  return {
    ...checkAddress(answers, texts),
    ...(await checkPhone(db, accountId, answers, texts)),
    ...findFaults(rules, answers, texts),
  };
}

/** Forms may have an email address in a text or hidden field; it is validated like any other. */
function checkAddress(
  { email, phone }: FormAnswers,
  messages: Snapshot['words'],
): Record<string, string> {
  if (!email?.length && !phone?.length) return { email: messages.required ?? '' };
  if (!email?.length) return {};
  const isRecorded = typeof email === 'string' && typeof parseEmail(email) === 'object';
  return isRecorded ? {} : { email: messages.email ?? '' };
}

const PHONE_TEXT_KEYS = {
  phone_invalid: 'phone',
  phone_country_invalid: 'phoneCountry',
  phone_too_short: 'phoneShort',
  phone_too_long: 'phoneLong',
} as const satisfies Record<PhoneIssue, TextKey>;

/**
 * Checks rules that browsers cannot: the assigned numbers of each country, and the country of a
 * number without a country code.
 */
async function checkPhone(
  db: Db,
  accountId: number,
  { phone }: FormAnswers,
  messages: Snapshot['words'],
): Promise<Record<string, string>> {
  if (!phone?.length) return {};
  if (typeof phone !== 'string') return { phone: messages.phone ?? '' };
  const { country } = await readAccount(db, accountId);
  const parsed = parsePhone(phone, country ?? undefined);
  return typeof parsed === 'string' ? { phone: messages[PHONE_TEXT_KEYS[parsed]] ?? '' } : {};
}
