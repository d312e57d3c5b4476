// Queries for second factors: one row per user who has recovery codes or has started to set up an
// app.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type FactorRow = {
  /** Null for users with passkeys but without an app. */
  secret: Buffer | null;
  confirmed_at: Date | null;
  recovery_left: number;
};

export async function findFactor(db: Reader, userId: number): Promise<FactorRow | undefined> {
  return db
    .selectFrom('two_factors')
    .select([
      'secret',
      'confirmed_at',
      sql<number>`cardinality(recovery_hashes)`.as('recovery_left'),
    ])
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/**
 * Stores the secret of an app, replacing an unconfirmed one; returns false if a confirmed one
 * exists.
 */
export async function startFactor(
  tx: Tx,
  userId: number,
  secret: Buffer,
  at: Date,
): Promise<boolean> {
  const row = await tx
    .insertInto('two_factors')
    .values({ user_id: userId, secret, created_at: at })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ secret, created_at: at, last_step: 0 })
        .where('two_factors.confirmed_at', 'is', null),
    )
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Confirms the secret. Returns false if it is already confirmed or was replaced. */
export async function confirmFactor(
  tx: Tx,
  userId: number,
  input: { secret: Buffer; step: number; hashes: Buffer[]; at: Date },
): Promise<boolean> {
  const row = await tx
    .updateTable('two_factors')
    .set({ confirmed_at: input.at, last_step: input.step, recovery_hashes: input.hashes })
    .where('user_id', '=', userId)
    .where('secret', '=', input.secret)
    .where('confirmed_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Consumes the code of that 30-second step; returns false if this step or a later one was used
 * before.
 */
export async function consumeStep(tx: Tx, userId: number, step: number): Promise<boolean> {
  const row = await tx
    .updateTable('two_factors')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function consumeRecovery(tx: Tx, userId: number, hash: Buffer): Promise<boolean> {
  const row = await tx
    .updateTable('two_factors')
    .set({ recovery_hashes: sql<Buffer[]>`array_remove(recovery_hashes, ${hash}::bytea)` })
    .where('user_id', '=', userId)
    .where(sql<boolean>`${hash}::bytea = any(recovery_hashes)`)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function replaceRecovery(tx: Tx, userId: number, hashes: Buffer[]): Promise<boolean> {
  const row = await tx
    .updateTable('two_factors')
    .set({ recovery_hashes: hashes })
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Saves recovery codes without an app, for a user's first passkey. */
export async function saveRecovery(
  tx: Tx,
  userId: number,
  hashes: Buffer[],
  at: Date,
): Promise<void> {
  await tx
    .insertInto('two_factors')
    .values({ user_id: userId, created_at: at, recovery_hashes: hashes })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ recovery_hashes: hashes }))
    .execute();
}

/** Deletes the app's secret; the recovery codes remain. */
export async function removeApp(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('two_factors')
    .set({ secret: null, confirmed_at: null, last_step: 0 })
    .where('user_id', '=', userId)
    .execute();
}

export async function deleteFactor(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('two_factors').where('user_id', '=', userId).execute();
}
