// Keeps the first answer of each keyed call. A concurrent repeat waits on the row until the first commits.
import { sql } from 'kysely';
import type { Db, Reader, Tx } from '../database.ts';

const DAY_MS = 86_400_000;

export type KeyedCall = { accountId: number; call: string; key: string; hash: Buffer; at: Date };
type Kept = { body_hash: Buffer; answer: unknown };

/** What an earlier call left. Keys older than 24 hours count as new. */
export function findIdempotentAnswer(db: Reader, row: KeyedCall): Promise<Kept | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'answer'])
    .where('account_id', '=', row.accountId)
    .where('call', '=', row.call)
    .where('key', '=', row.key)
    .where('created_at', '>=', new Date(row.at.getTime() - DAY_MS))
    .executeTakeFirst();
}

/** Claims the key, or returns what the first call left. */
export async function openIdempotencyKey(tx: Tx, row: KeyedCall): Promise<Kept | undefined> {
  await tx
    .deleteFrom('idempotency_keys')
    .where('account_id', '=', row.accountId)
    .where('call', '=', row.call)
    .where('key', '=', row.key)
    .where('created_at', '<', new Date(row.at.getTime() - DAY_MS))
    .execute();
  const claimed = await tx
    .insertInto('idempotency_keys')
    .values({
      account_id: row.accountId,
      call: row.call,
      key: row.key,
      body_hash: row.hash,
      created_at: row.at,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'call', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst();
  if (claimed) return undefined;
  return findIdempotentAnswer(tx, row);
}

export async function saveIdempotentAnswer(
  tx: Tx,
  accountId: number,
  call: string,
  key: string,
  answer: unknown,
): Promise<void> {
  await tx
    .updateTable('idempotency_keys')
    .set({ answer: JSON.stringify(answer ?? null), status: 200 })
    .where('account_id', '=', accountId)
    .where('call', '=', call)
    .where('key', '=', key)
    .execute();
}

/** Housekeeping, account by account. */
export async function dropOldIdempotencyKeys(
  db: Db,
  accountId: number,
  before: Date,
): Promise<void> {
  await sql`delete from idempotency_keys where account_id = ${accountId} and created_at < ${before}`.execute(
    db,
  );
}
