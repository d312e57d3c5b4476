// Queries that erase subscribers from relay replies and single sends, and that read and replace
// audiences, because segment conditions in them may contain erased addresses.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import type { Audience } from './audience.sql.ts';
import { SINGLE_LANE } from './sms.sql.ts';
import { SHOWN_AS } from '../singles/singles.sql.ts';
import { filterKinds } from '../../message-kinds.ts';

/** Kinds of messages that go to users, never to subscribers. */
const OWN_KINDS = filterKinds((rules) => rules.isOwn);

/**
 * Handles `subscriber.erased` and `subscriber.purged`. Counts and times of sends remain, without
 * personal data. `addresses` contains the normalized addresses of erased subscribers.
 */
export async function eraseRecipients(
  tx: Tx,
  erasure: { accountId: number; subscriberIds: number[]; addresses?: readonly string[] },
): Promise<void> {
  const { accountId, subscriberIds, addresses = [] } = erasure;
  await sql`
    update results a set reply = null
    from recipients r
    where a.account_id = ${accountId} and r.account_id = ${accountId}
      and r.subscriber_id = any(${subscriberIds}::bigint[]) and a.message_id = r.message_id
      and a.lane = r.lane and a.ordinal = r.ordinal and a.reply is not null`.execute(tx);
  // Providers quote the number in the error.
  await sql`
    update sms_results a set error = null
    from recipients r
    where a.account_id = ${accountId} and r.account_id = ${accountId}
      and r.subscriber_id = any(${subscriberIds}::bigint[]) and a.message_id = r.message_id
      and a.lane = r.lane and a.ordinal = r.ordinal and a.error is not null`.execute(tx);
  await sql`
    update sms_results a set error = null
    from single_sends s
    where a.account_id = ${accountId} and s.account_id = ${accountId}
      and s.subscriber_id = any(${subscriberIds}::bigint[]) and a.message_id = s.message_id
      and a.lane = ${SINGLE_LANE} and a.ordinal = s.id and a.error is not null`.execute(tx);
  await sql`
    update single_sends s
    set recipient = case when m.kind = any(${OWN_KINDS}::text[]) then s.recipient else '' end,
      variables = '{}', sealed_variables = null, reply = null
    from messages m
    where s.account_id = ${accountId} and m.account_id = ${accountId} and m.id = s.message_id
      and s.subscriber_id = any(${subscriberIds}::bigint[])`.execute(tx);
  // Test emails that show the subscriber's values and are not sent yet are sent without them.
  await sql`
    update single_sends set variables = '{}', sealed_variables = null
    where account_id = ${accountId} and state in ('pending', 'deferred', 'handing_over')
      and variables->>${SHOWN_AS} = any(${subscriberIds}::text[])`.execute(tx);
  if (addresses.length === 0) return;
  // Test emails, and single emails and SMS to an address before it belonged to a subscriber, have no
  // `subscriber_id` and are found by their address. Senders skip unsent ones, because they no longer
  // have a recipient.
  await sql`
    update single_sends s
    set recipient = '', reply = null,
      variables = case when m.kind = 'test' then s.variables else '{}' end,
      sealed_variables = case when m.kind = 'test' then s.sealed_variables end
    from messages m
    where s.account_id = ${accountId} and m.account_id = ${accountId} and m.id = s.message_id
      and s.subscriber_id is null
      and (m.kind = 'test' or not (m.kind = any(${OWN_KINDS}::text[])))
      and lower(s.recipient) = any(${[...addresses]}::text[])`.execute(tx);
}

/** Finds the account's messages whose audience includes or excludes segments. */
export async function readSegmentAudiences(
  tx: Tx,
  accountId: number,
): Promise<{ id: number; audience: Audience }[]> {
  const { rows } = await sql<{ id: number; audience: Audience }>`
    select id, audience from messages
    where account_id = ${accountId} and (jsonb_path_exists(audience, '$.segments[0]')
      or jsonb_path_exists(audience, '$.excludedSegments[0]'))
    order by id`.execute(tx);
  return rows;
}

export async function saveAudience(
  tx: Tx,
  accountId: number,
  messageId: number,
  audience: Audience,
): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ audience: JSON.stringify(audience) })
    .where('account_id', '=', accountId)
    .where('id', '=', messageId)
    .execute();
}
