// Finds subscribers for the global search.
import { searchCondition } from '#areas/subscribers/server/index.ts';
import { plainDigits } from '#platform/digits.ts';
import { encodeId } from '#platform/ids.ts';
import type { Found } from '#platform/search-contract.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { SearchInput } from '#platform/server/search/search.ts';
import * as store from './search-people.sql.ts';

/** Minimum length: shorter texts occur in most addresses. */
const MIN_PART = 3;

/**
 * Finds addresses and phone numbers that begin with the text among all subscribers, then names and
 * parts of addresses among the newest ones.
 */
export async function searchSubscribers(
  tx: Tx,
  { accountId, terms, limit }: SearchInput,
): Promise<Found[]> {
  const { typed } = terms;
  const found = await store.findSubscribersByAddress(
    tx,
    accountId,
    typed,
    phoneStarts(typed),
    limit,
  );
  const where = typed.length < MIN_PART ? undefined : searchCondition(typed);
  const matches =
    where && found.length < limit
      ? await store.findNewestSubscribers(
          tx,
          { accountId, where, limit: limit - found.length },
          found.map(({ id }) => id),
        )
      : [];
  return [...found, ...matches].map((person) => {
    const name = [person.firstname, person.lastname].filter(Boolean).join(' ');
    return {
      kind: 'subscriber',
      id: encodeId('subscriber', person.id),
      title: person.email ?? person.phone ?? '',
      detail: name || (person.email === null ? null : person.phone),
      parameter: null,
    };
  });
}

/** `+47 22 33` and `004722 33` are prefixes of the number +472233…; other texts are no prefix. */
function phoneStarts(typed: string): string | undefined {
  if (!/^[+\p{N}() .-]{3,}$/u.test(typed)) return undefined;
  const number = plainDigits(typed).replace(/[^\d+]/g, '');
  return `+${number.replace(/^(\+|00)/, '')}`;
}
