// Finds subscribers for the global search.
import { searchCondition } from '#areas/subscribers/server/index.ts';
import { toLatinDigits } from '#platform/digits.ts';
import { encodeId } from '#platform/ids.ts';
import type { SearchResult } from '#platform/search-contract.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { SearchInput } from '#platform/server/search/search.ts';
import * as store from './search-subscribers.sql.ts';

/** Minimum length: shorter strings occur in most addresses. */
const MIN_PART = 3;

/**
 * Finds addresses and phone numbers that begin with the text among all subscribers, then names and
 * parts of addresses among the newest ones.
 */
export async function searchSubscribers(
  tx: Tx,
  { accountId, terms, limit }: SearchInput,
): Promise<SearchResult[]> {
  const { typed: term } = terms;
  const addressMatches = await store.findSubscribersByAddress(
    tx,
    accountId,
    term,
    toPhonePrefix(term),
    limit,
  );
  const where = term.length < MIN_PART ? undefined : searchCondition(term);
  const matches =
    where && addressMatches.length < limit
      ? await store.findNewestSubscribers(
          tx,
          { accountId, where, limit: limit - addressMatches.length },
          addressMatches.map(({ id }) => id),
        )
      : [];
  return [...addressMatches, ...matches].map((subscriber) => {
    const name = [subscriber.firstname, subscriber.lastname].filter(Boolean).join(' ');
    return {
      kind: 'subscriber',
      id: encodeId('subscriber', subscriber.id),
      title: subscriber.email ?? subscriber.phone ?? '',
      detail: name || (subscriber.email === null ? null : subscriber.phone),
      parameter: null,
    };
  });
}

/** Converts `+47 22 33` and `004722 33` to the prefix +472233; undefined for other input. */
function toPhonePrefix(term: string): string | undefined {
  if (!/^[+\p{N}() .-]{3,}$/u.test(term)) return undefined;
  const number = toLatinDigits(term).replace(/[^\d+]/g, '');
  return `+${number.replace(/^(\+|00)/, '')}`;
}
