// The words of the search box as a condition on a row `s` of subscribers: each word must stand in the
// email, a name or the number.
import { containing } from '#platform/server/like.ts';
import { type RawBuilder, sql } from 'kysely';
import { SEARCH_WORDS_MOST } from '../limits.ts';

export function searchCondition(search: string | undefined): RawBuilder<boolean> | undefined {
  const words = (search ?? '')
    .replaceAll('\0', ' ')
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, SEARCH_WORDS_MOST);
  if (words.length === 0) return undefined;
  return words.map(wordCondition).reduce((one, other) => sql<boolean>`${one} and ${other}`);
}

function wordCondition(word: string): RawBuilder<boolean> {
  // In small letters as PostgreSQL knows them: JavaScript's İ and last Σ are others.
  const pattern = sql`lower(${containing(word)}::text)`;
  const digits = word.replace(/[^\d]/g, '');
  const phone =
    digits.length >= 3 && /^[+\d().-]+$/.test(word)
      ? sql`or s.phone_key like ${containing(digits)}`
      : sql``;
  return sql<boolean>`(s.email_key like ${pattern} or lower(s.firstname) like ${pattern}
    or lower(s.lastname) like ${pattern} ${phone})`;
}
