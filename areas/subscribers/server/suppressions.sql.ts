// Queries for suppressions: keyed hashes of addresses, which outlast the subscribers.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import {
  getAddressField,
  type Channel,
  SUPPRESSION_REASONS,
  type SuppressionReason,
} from '../shared.ts';

/** Returns SQL for the strength of a reason; the strongest reason of an address is stored. */
const rank = (column: string) =>
  sql`array_position(array['bounced','manual','unsubscribed','reported','erased'], ${sql.ref(column)})`;

const STRENGTHEN = sql`
  on conflict (account_id, channel, address_hash) do update
    set reason = excluded.reason, message_id = excluded.message_id, created_at = excluded.created_at,
      subscriber_id = excluded.subscriber_id
    where ${rank('excluded.reason')} > ${rank('suppressions.reason')}`;

/**
 * Adds suppressions or strengthens existing ones; a weaker reason never replaces a stronger one.
 * If `keys` are passed (the addresses, in the order of the hashes), each suppression also stores
 * the ID of the subscriber with that address.
 */
export async function insertSuppressions(
  tx: Tx,
  accountId: number,
  channel: Channel,
  hashes: readonly Buffer[],
  suppression: { reason: SuppressionReason; messageId?: number | undefined; at: Date },
  keys?: readonly string[],
): Promise<void> {
  if (hashes.length === 0) return;
  const key = sql.ref(getAddressField(channel) === 'email' ? 'p.email_key' : 'p.phone_key');
  const requestedHashes = keys
    ? sql`unnest(${[...hashes]}::bytea[], ${[...keys]}::text[]) as given (hash, key)
        left join subscribers p
          on p.account_id = ${accountId} and ${key} = given.key and p.deleted_at is null`
    : sql`unnest(${[...hashes]}::bytea[]) as given (hash)`;
  await sql`
    insert into suppressions
      (account_id, channel, address_hash, reason, message_id, created_at, subscriber_id)
    select ${accountId}::bigint, ${channel}, hash, ${suppression.reason},
      ${suppression.messageId ?? null}::bigint, ${suppression.at}::timestamptz,
      ${keys ? sql`max(p.id)` : sql`null::bigint`}
    from ${requestedHashes}
    group by hash order by hash
    ${STRENGTHEN}`.execute(tx);
}

/**
 * Suppresses the addresses of subscribers, including deleted ones. The database computes the
 * hashes, so the addresses are not transferred. The pads come from suppressionHashPads. Returns the
 * subscribers with a new or stronger suppression.
 */
export async function suppressSubscribers(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
  suppression: {
    channel: Channel;
    reason: SuppressionReason;
    messageId?: number | undefined;
    at: Date;
    pads: { inner: Buffer; outer: Buffer };
  },
): Promise<number[]> {
  if (ids.length === 0) return [];
  const { channel, reason, messageId, at, pads } = suppression;
  const key = sql.ref(getAddressField(channel) === 'email' ? 'email_key' : 'phone_key');
  const { rows } = await sql<{ id: number; hash: Buffer }>`
    select id,
      sha256(${pads.outer}::bytea || sha256(${pads.inner}::bytea || convert_to(${key}, 'UTF8'))) as hash
    from subscribers
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[]) and ${key} is not null`.execute(
    tx,
  );
  if (rows.length === 0) return [];
  const insertedRows = await sql<{ address_hash: Buffer }>`
    insert into suppressions
      (account_id, channel, address_hash, reason, message_id, created_at, subscriber_id)
    select ${accountId}::bigint, ${channel}, hash, ${reason}, ${messageId ?? null}::bigint,
      ${at}::timestamptz, max(id)
    from unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.hash)}::bytea[])
      hashed (id, hash)
    group by hash order by hash
    ${STRENGTHEN}
    returning address_hash`.execute(tx);
  const hashes = new Set(insertedRows.rows.map((row) => row.address_hash.toString('hex')));
  return rows.filter((row) => hashes.has(row.hash.toString('hex'))).map((row) => row.id);
}

/**
 * Links suppressions to the subscribers who have the addresses now. `keys` are the addresses, in
 * the order of the hashes.
 */
export async function updateSuppressionOwners(
  tx: Tx,
  accountId: number,
  channel: Channel,
  hashes: readonly Buffer[],
  keys: readonly string[],
): Promise<void> {
  const key = sql.ref(getAddressField(channel) === 'email' ? 'p.email_key' : 'p.phone_key');
  await sql`
    with owned as materialized (
      select s.address_hash, p.id
      from unnest(${[...hashes]}::bytea[], ${[...keys]}::text[]) as given (hash, key)
      join subscribers p on p.account_id = ${accountId} and ${key} = given.key and p.deleted_at is null
      join suppressions s on s.account_id = ${accountId} and s.channel = ${channel}
        and s.address_hash = given.hash and s.subscriber_id is distinct from p.id
      order by s.address_hash for update of s
    )
    update suppressions s set subscriber_id = owned.id
    from owned
    where s.account_id = ${accountId} and s.channel = ${channel} and s.address_hash = owned.address_hash`.execute(
    tx,
  );
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

/** Deletes suppressions that have one of these reasons, by default any. */
export async function deleteSuppressions(
  tx: Tx,
  accountId: number,
  channel: Channel,
  hashes: readonly Buffer[],
  reasons: readonly SuppressionReason[] = SUPPRESSION_REASONS,
): Promise<void> {
  if (hashes.length === 0) return;
  await sql`
    delete from suppressions
    where account_id = ${accountId} and channel = ${channel}
      and address_hash = any(${[...hashes]}::bytea[])
      and reason = any(${[...reasons]}::text[])`.execute(tx);
}

export type ListedSuppression = {
  address_hash: Buffer;
  reason: SuppressionReason;
  created_at: Date;
  subscriber_id: number | null;
  /** `subscriber_id`, unless that subscriber was deleted. */
  id: number | null;
  email: string | null;
  email_key: string | null;
  phone: string | null;
  phone_key: string | null;
};

export type SuppressionFilter = {
  channel: Channel;
  reason?: SuppressionReason | undefined;
  hash?: Buffer | undefined;
  /** By default newest first. */
  direction?: 'asc' | 'desc';
  /** Limits the list to rows older than this one; only for the order newest first. */
  after?: { created_at: Date; address_hash: Buffer };
};

const matchesFilter = (
  accountId: number,
  { channel, reason, hash, after }: SuppressionFilter,
) => sql`
  account_id = ${accountId} and channel = ${channel}
  ${reason ? sql`and reason = ${reason}` : sql``}
  ${hash ? sql`and address_hash = ${hash}` : sql``}
  ${
    after
      ? sql`and (created_at, address_hash) < (${after.created_at}::timestamptz, ${after.address_hash}::bytea)`
      : sql``
  }`;

export async function listSuppressions(
  db: Reader,
  accountId: number,
  filter: SuppressionFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<ListedSuppression[]> {
  const sqlDirection = filter.direction === 'asc' ? sql`asc` : sql`desc`;
  const { rows } = await sql<ListedSuppression>`
    with page as materialized (
      select account_id, address_hash, reason, created_at, subscriber_id from suppressions
      where ${matchesFilter(accountId, filter)}
      order by created_at ${sqlDirection}, address_hash ${sqlDirection} limit ${limit} offset ${offset}
    )
    select page.address_hash, page.reason, page.created_at, page.subscriber_id, p.id, p.email, p.email_key, p.phone, p.phone_key
    from page left join subscribers p
      on p.account_id = ${accountId} and p.account_id = page.account_id
        and p.id = page.subscriber_id and p.deleted_at is null
    order by page.created_at ${sqlDirection}, page.address_hash ${sqlDirection}`.execute(db);
  return rows;
}

export async function countSuppressions(
  db: Reader,
  accountId: number,
  filter: SuppressionFilter,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from suppressions where ${matchesFilter(accountId, filter)}`.execute(
    db,
  );
  return rows[0]?.total ?? 0;
}
