// SQL that erases the answers of sign-ups. Statistics of forms count the rows, which remain.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import { containsAddress } from '#platform/server/erasure/texts.sql.ts';

const PAGE_WITHOUT_QUERY = sql`split_part(split_part(page, '#', 1), '?', 1)`;

/**
 * Handles `subscriber.erased` and `subscriber.purged`. Sign-ups from which no subscriber was
 * created, because they wait or were refused, are found by their address and no longer processed.
 * The query of a page's URL may contain the address even in sign-ups of other visitors, so it is
 * removed there as well.
 */
export async function eraseSubmissions(
  tx: Tx,
  erasure: { accountId: number; subscriberIds: number[]; addresses?: readonly string[] },
): Promise<void> {
  const { accountId, subscriberIds, addresses = [] } = erasure;
  const hasAddresses = addresses.length > 0;
  const signedUpWith = sql`coalesce(answers->>'email', '') || ' ' || coalesce(answers->>'phone', '')`;
  const isByAddress = hasAddresses ? containsAddress(signedUpWith, addresses) : sql`false`;
  await sql`
    update form_submissions
    set answers = '{}', ip = null, page = ${PAGE_WITHOUT_QUERY},
      settled_at = coalesce(settled_at, at), held_reason = null
    where account_id = ${accountId}
      and (subscriber_id = any(${subscriberIds}::bigint[])
        or (subscriber_id is null and ${isByAddress}))`.execute(tx);
  if (!hasAddresses) return;
  const decodedPage = sql`replace(page, '%40', '@')`;
  await sql`
    update form_submissions set page = ${PAGE_WITHOUT_QUERY}
    where account_id = ${accountId} and page like '%?%'
      and ${containsAddress(decodedPage, addresses)}`.execute(tx);
}
