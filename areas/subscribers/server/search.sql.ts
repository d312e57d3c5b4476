// Translates a search text into a condition on a row `s` of subscribers: each word of the text must
// occur in the email address, a name or the phone number.
import { domainToASCII } from 'node:url';
import { toLatinDigits } from '#platform/digits.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import { type RawBuilder, sql } from 'kysely';
import { MAX_SEARCH_WORDS } from '../shared.ts';

export function searchCondition(search: string | undefined): RawBuilder<boolean> | undefined {
  const terms = (search ?? '')
    .replaceAll('\0', ' ')
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, MAX_SEARCH_WORDS);
  if (terms.length === 0) return undefined;
  return terms
    .map(termCondition)
    .reduce((condition, other) => sql<boolean>`${condition} and ${other}`);
}

function termCondition(term: string): RawBuilder<boolean> {
  // In PostgreSQL's lower case: JavaScript differs for İ and final Σ.
  const pattern = sql`lower(${toContainsPattern(term)}::text)`;
  const phone = numberCondition(toLatinDigits(term));
  return sql<boolean>`(s.email_key like ${pattern} ${domainCondition(term)} or lower(s.firstname) like ${pattern}
    or lower(s.lastname) like ${pattern} ${phone})`;
}

/** Searches a domain typed in Unicode by its ASCII form, which is the stored one. */
function domainCondition(term: string): RawBuilder<unknown> {
  const at = term.lastIndexOf('@') + 1;
  const domain = term.slice(at);
  if (!domain.includes('.') || !/[^\0-\x7F]/.test(domain)) return sql``;
  const ascii = domainToASCII(domain);
  if (ascii === '') return sql``;
  return sql`or s.email_key like lower(${toContainsPattern(term.slice(0, at) + ascii)}::text)`;
}

/** Searches digits anywhere in the phone number; a leading 00 can also replace the plus. */
function numberCondition(term: string): RawBuilder<unknown> {
  const digits = term.replace(/[^\d]/g, '');
  if (digits.length < 3 || !/^[+\d().-]+$/.test(term)) return sql``;
  const international = /^00(\d+)$/.exec(digits)?.[1];
  return international
    ? sql`or s.phone_key like ${toContainsPattern(digits)} or s.phone_key like ${`+${international}%`}`
    : sql`or s.phone_key like ${toContainsPattern(digits)}`;
}
