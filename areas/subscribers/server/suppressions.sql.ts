// SQL of suppressions: keyed hashes of addresses that outlive the people.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database.ts';
import type { Channel, SuppressionReason } from '../limits.ts';

/** The reasons in their order, as a literal: the strongest stays. */
const rank = (column: string) =>
  sql`array_position(array['bounced','manual','unsubscribed','reported','erased'], ${sql.ref(column)})`;

/** Adds or strengthens; a weaker reason never replaces a stronger one. */
export async function insertSuppressions(
  tx: Tx,
  accountId: number,
  channel: Channel,
  hashes: readonly Buffer[],
  suppression: { reason: SuppressionReason; messageId?: number | undefined; at: Date },
): Promise<void> {
  if (hashes.length === 0) return;
  await sql`
    insert into suppressions (account_id, channel, address_hash, reason, message_id, created_at)
    select ${accountId}::bigint, ${channel}, hash, ${suppression.reason},
      ${suppression.messageId ?? null}::bigint, ${suppression.at}::timestamptz
    from unnest(${[...hashes]}::bytea[]) as given (hash)
    group by hash order by hash
    on conflict (account_id, channel, address_hash) do update
      set reason = excluded.reason, message_id = excluded.message_id, created_at = excluded.created_at
      where ${rank('excluded.reason')} > ${rank('suppressions.reason')}`.execute(tx);
}

export type SuppressionRow = {
  channel: Channel;
  address_hash: Buffer;
  reason: SuppressionReason;
};

export async function findSuppressions(
  db: Reader,
  accountId: number,
  hashes: readonly Buffer[],
  channels: readonly Channel[],
): Promise<SuppressionRow[]> {
  if (hashes.length === 0) return [];
  const { rows } = await sql<SuppressionRow>`
    select channel, address_hash, reason from suppressions
    where account_id = ${accountId} and channel = any(${[...channels]}::text[])
      and address_hash = any(${[...hashes]}::bytea[])`.execute(db);
  return rows;
}

export async function deleteSuppressions(
  tx: Tx,
  accountId: number,
  channel: Channel,
  hashes: readonly Buffer[],
): Promise<void> {
  if (hashes.length === 0) return;
  await sql`
    delete from suppressions
    where account_id = ${accountId} and channel = ${channel}
      and address_hash = any(${[...hashes]}::bytea[])`.execute(tx);
}
