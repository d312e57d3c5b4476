// Words of the search box as a condition on a row `s` of subscribers: each word must be in the
// email, a name or the number.
import { domainToASCII } from 'node:url';
import { plainDigits } from '#platform/digits.ts';
import { containing } from '#platform/server/database/like.ts';
import { type RawBuilder, sql } from 'kysely';
import { SEARCH_WORDS_MOST } from '../shared.ts';

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
  // In PostgreSQL's lower case: JavaScript differs for İ and final Σ.
  const pattern = sql`lower(${containing(word)}::text)`;
  const phone = numberCondition(plainDigits(word));
  return sql<boolean>`(s.email_key like ${pattern} ${domainCondition(word)} or lower(s.firstname) like ${pattern}
    or lower(s.lastname) like ${pattern} ${phone})`;
}

/** A domain typed in Unicode is stored in its ASCII form. */
function domainCondition(word: string): RawBuilder<unknown> {
  const at = word.lastIndexOf('@') + 1;
  const domain = word.slice(at);
  if (!domain.includes('.') || !/[^\0-\x7F]/.test(domain)) return sql``;
  const ascii = domainToASCII(domain);
  if (ascii === '') return sql``;
  return sql`or s.email_key like lower(${containing(word.slice(0, at) + ascii)}::text)`;
}

/** Digits anywhere in the number; a leading 00 may be its plus. */
function numberCondition(word: string): RawBuilder<unknown> {
  const digits = word.replace(/[^\d]/g, '');
  if (digits.length < 3 || !/^[+\d().-]+$/.test(word)) return sql``;
  const international = /^00(\d+)$/.exec(digits)?.[1];
  return international
    ? sql`or s.phone_key like ${containing(digits)} or s.phone_key like ${`+${international}%`}`
    : sql`or s.phone_key like ${containing(digits)}`;
}
