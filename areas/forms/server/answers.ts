// Answers of a sign-up as texts, and what is wrong with them: the rules that the browser has too, and what only the
// server knows. An address that would not be recorded is a fault here, never a silent loss later.
import type { Snapshot } from '#embed/forms/shared/document.ts';
import { type Answers, faultsOf, plain } from '#embed/forms/shared/validate.ts';
import type { WordKey } from '#embed/forms/shared/words.ts';
import { readAccount } from '#areas/accounts/server/index.ts';
import { parseEmail, parsePhone, type PhoneFault } from '#areas/subscribers/server/index.ts';
import type { Db } from '#platform/server/database.ts';

const MAX_CHOICES = 200;

/** Text that PostgreSQL stores: without NUL and halves of surrogate pairs. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Only what the form asked for. */
export function answersOf(snapshot: Snapshot, data: Record<string, unknown>): Answers {
  const answers: Answers = Object.create(null) as Answers;
  for (const rule of snapshot.rules) {
    const { key } = rule;
    const value = Object.hasOwn(data, key) ? data[key] : undefined;
    if (typeof value === 'string') answers[key] = plain(rule, storable(value)).trim();
    else if (Array.isArray(value)) {
      answers[key] = value
        .filter((choice): choice is string => typeof choice === 'string')
        .slice(0, MAX_CHOICES)
        .map((choice) => storable(choice).trim());
    }
  }
  return answers;
}

/** Messages by field; empty where the sign-up can be recorded. */
export async function faultsOfAnswers(
  db: Db,
  accountId: number,
  { rules, words }: Snapshot,
  answers: Answers,
): Promise<Record<string, string>> {
  return {
    ...addressFault(answers, words),
    ...(await phoneFault(db, accountId, answers, words)),
    ...faultsOf(rules, answers, words),
  };
}

/** Fields may show an email as plain text or hide it: it is recorded by the same rules. */
function addressFault({ email, phone }: Answers, words: Snapshot['words']): Record<string, string> {
  if (!email?.length && !phone?.length) return { email: words.required ?? '' };
  if (!email?.length) return {};
  const isRecorded = typeof email === 'string' && typeof parseEmail(email) === 'object';
  return isRecorded ? {} : { email: words.email ?? '' };
}

const PHONE_WORDS = {
  phone_invalid: 'phone',
  phone_country_invalid: 'phoneCountry',
  phone_too_short: 'phoneShort',
  phone_too_long: 'phoneLong',
} as const satisfies Record<PhoneFault, WordKey>;

/** What no browser knows: the numbers that each country gives out, and which country is meant without its code. */
async function phoneFault(
  db: Db,
  accountId: number,
  { phone }: Answers,
  words: Snapshot['words'],
): Promise<Record<string, string>> {
  if (!phone?.length) return {};
  if (typeof phone !== 'string') return { phone: words.phone ?? '' };
  const { country } = await readAccount(db, accountId);
  const read = parsePhone(phone, country ?? undefined);
  return typeof read === 'string' ? { phone: words[PHONE_WORDS[read]] ?? '' } : {};
}
