// SQL that erases the answers of sign-ups. Statistics of forms count the rows, which remain.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import { containsAddress } from '#platform/server/erasure/texts.sql.ts';

/**
 * Handles `subscriber.erased` and `subscriber.purged`. Sign-ups that no subscriber was created from,
 * because they wait or were refused, are found by their answers and no longer processed.
 */
export async function eraseSubmissions(
  tx: Tx,
  erasure: { accountId: number; subscriberIds: number[]; addresses?: readonly string[] },
): Promise<void> {
  const { accountId, subscriberIds, addresses = [] } = erasure;
  const isAboutAddress =
    addresses.length === 0
      ? sql<boolean>`false`
      : containsAddress(sql`answers::text || ' ' || page`, addresses);
  await sql`
    update form_submissions
    set answers = '{}', ip = null, page = split_part(split_part(page, '#', 1), '?', 1),
      settled_at = coalesce(settled_at, at), held_reason = null
    where account_id = ${accountId}
      and (subscriber_id = any(${subscriberIds}::bigint[])
        or (subscriber_id is null and ${isAboutAddress}))`.execute(tx);
}
