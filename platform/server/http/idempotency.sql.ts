// Stores the first response of each keyed call. A concurrent repeat waits on the row until the
// transaction that claimed the key ends.
import { type RawBuilder, sql } from 'kysely';
import { clock } from '../clock.ts';
import type { Db, Reader, Tx } from '../database/database.ts';

const DAY_MS = 86_400_000;
/**
 * After this time without a response, the process of a call with its own transactions is treated as
 * dead.
 */
const CLAIM_MS = 120_000;

export type KeyedCall = { accountId: number; call: string; key: string; hash: Buffer; at: Date };
/** `kept` is null while the first call is running. */
export type EarlierCall = { body_hash: Buffer; kept: Buffer | null };

/** Returns the record of an earlier call. Keys older than 24 hours are treated as new. */
export function findIdempotentResponse(
  db: Reader,
  row: KeyedCall,
): Promise<EarlierCall | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'kept'])
    .where('account_id', '=', row.accountId)
    .where('call', '=', row.call)
    .where('key', '=', row.key)
    .where('created_at', '>=', new Date(row.at.getTime() - DAY_MS))
    .executeTakeFirst();
}

/** Claims the key, or returns the record of the call that has claimed it. */
export async function openIdempotencyKey(
  tx: Db | Tx,
  row: KeyedCall,
): Promise<EarlierCall | undefined> {
  const { accountId, call, key, hash, at } = row;
  const claimedKeys = await sql<{ key: string }>`
    insert into idempotency_keys (account_id, call, key, body_hash, created_at)
    values (${accountId}, ${call}, ${key}, ${hash}, ${at}::timestamptz)
    on conflict (account_id, call, key) do update
      set body_hash = excluded.body_hash, created_at = excluded.created_at, kept = null
      where idempotency_keys.created_at < ${new Date(at.getTime() - DAY_MS)}::timestamptz
        or (idempotency_keys.kept is null
          and idempotency_keys.created_at < ${new Date(at.getTime() - CLAIM_MS)}::timestamptz)
    returning key`.execute(tx);
  return claimedKeys.rows.length > 0 ? undefined : findIdempotentResponse(tx, row);
}

/** Parallel arrays: responses of one account under different keys. */
export type StoredResponses = {
  accountId: number;
  calls: readonly string[];
  keys: readonly string[];
  hashes: readonly Buffer[];
  timestamps: readonly Date[];
  responses: readonly Buffer[];
  /** Keys with a response that were claimed before this instant have expired. */
  since: Date;
  /** Keys without a response that were claimed before this instant have expired. */
  claimedSince: Date;
};

/** Builds the input of `claimWithResponse` from responses of one account under different keys. */
export function toStoredResponses(
  accountId: number,
  rows: readonly { keyedCall: KeyedCall; response: Buffer }[],
): StoredResponses {
  // One timestamp for all keys; their calls arrived at almost the same time.
  const startedAt = Math.min(
    ...rows.map(({ keyedCall }) => keyedCall.at.getTime()),
    clock.now().getTime(),
  );
  return {
    accountId,
    calls: rows.map(({ keyedCall }) => keyedCall.call),
    keys: rows.map(({ keyedCall }) => keyedCall.key),
    hashes: rows.map(({ keyedCall }) => keyedCall.hash),
    timestamps: rows.map(({ keyedCall }) => keyedCall.at),
    responses: rows.map(({ response }) => response),
    since: new Date(startedAt - DAY_MS),
    claimedSince: new Date(startedAt - CLAIM_MS),
  };
}

type StatementValues<Values> = { readonly [Name in keyof Values]: RawBuilder<Values[Name]> };

/**
 * SQL: claims the keys with their responses; returns the keys that were free. `accounts` is the
 * table of accounts: without the account's row, a cluster could not plan the parameters in ON
 * CONFLICT.
 */
export const claimWithResponse = (
  v: StatementValues<StoredResponses>,
  accounts: RawBuilder<unknown>,
) => sql`
  insert into idempotency_keys (account_id, call, key, body_hash, created_at, kept)
  select account.id, u.call, u.key, u.hash, u.at, u.kept
  from ${accounts} account cross join unnest(${v.calls}::text[], ${v.keys}::text[], ${v.hashes}::bytea[],
    ${v.timestamps}::timestamptz[], ${v.responses}::bytea[]) u(call, key, hash, at, kept)
  where account.id = ${v.accountId}
  order by u.key
  on conflict (account_id, call, key) do update
    set body_hash = excluded.body_hash, created_at = excluded.created_at, kept = excluded.kept
    where idempotency_keys.created_at < ${v.since}::timestamptz
      or (idempotency_keys.kept is null and idempotency_keys.created_at < ${v.claimedSince}::timestamptz)
  returning key`;

export async function saveIdempotentResponse(
  tx: Db | Tx,
  { accountId, call, key, at }: KeyedCall,
  sealedResponse: Buffer,
): Promise<void> {
  await tx
    .updateTable('idempotency_keys')
    .set({ kept: sealedResponse })
    .where('account_id', '=', accountId)
    .where('call', '=', call)
    .where('key', '=', key)
    .where('created_at', '=', at)
    .execute();
}

/** Releases the key of a refused or failed call, which may be repeated under it. */
export async function releaseIdempotencyKey(
  db: Db,
  { accountId, call, key, at }: KeyedCall,
): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('account_id', '=', accountId)
    .where('call', '=', call)
    .where('key', '=', key)
    .where('created_at', '=', at)
    .where('kept', 'is', null)
    .execute();
}

/** Deletes the account's keys and responses from before this instant. */
export async function dropOldIdempotencyKeys(
  db: Db,
  accountId: number,
  before: Date,
): Promise<void> {
  await sql`delete from idempotency_keys where account_id = ${accountId} and created_at < ${before}`.execute(
    db,
  );
}
