// SQL of forgetting: relays repeat addresses in their words, and singles keep them.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database.ts';

/**
 * Handler of `subscriber.erased` and `subscriber.purged`: what was sent, and when, stays in the figures
 * without anybody's name.
 */
export async function forgetRecipients(
  tx: Tx,
  erased: { accountId: number; subscriberIds: number[] },
): Promise<void> {
  const { accountId, subscriberIds } = erased;
  await sql`
    update results a set reply = null
    from recipients r
    where a.account_id = ${accountId} and r.account_id = ${accountId}
      and r.subscriber_id = any(${subscriberIds}::bigint[]) and a.message_id = r.message_id
      and a.lane = r.lane and a.ordinal = r.ordinal and a.reply is not null`.execute(tx);
  // A test mail went to the owner, with the person's values in it.
  await sql`
    update single_sends s
    set recipient = case when m.kind in ('letter', 'test') then s.recipient else '' end,
      variables = '{}', sealed_variables = null, reply = null
    from messages m
    where s.account_id = ${accountId} and m.account_id = ${accountId} and m.id = s.message_id
      and s.subscriber_id = any(${subscriberIds}::bigint[])`.execute(tx);
}
