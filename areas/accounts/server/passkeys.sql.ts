// Queries for passkeys and their challenges.
import type { Selectable } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';

export type PasskeyRow = Selectable<DB['passkeys']>;

export function listPasskeys(db: Reader, userId: number): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute();
}

/**
 * Locks the passkey so that concurrent requests compare and raise its counter one after another.
 */
export function lockPasskey(tx: Tx, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  return tx
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', credentialId)
    .forUpdate()
    .executeTakeFirst();
}

/** Inserts a passkey. Returns undefined if the credential is already registered. */
export function insertPasskey(
  tx: Tx,
  row: Omit<PasskeyRow, 'id' | 'used_at'>,
): Promise<PasskeyRow | undefined> {
  return tx
    .insertInto('passkeys')
    .values(row)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function markUsed(tx: Tx, id: number, counter: number, at: Date): Promise<void> {
  await tx.updateTable('passkeys').set({ counter, used_at: at }).where('id', '=', id).execute();
}

export function renamePasskey(
  tx: Tx,
  userId: number,
  id: number,
  name: string,
): Promise<PasskeyRow | undefined> {
  return tx
    .updateTable('passkeys')
    .set({ name })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deletePasskey(tx: Tx, userId: number, id: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deletePasskeysOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('passkeys').where('user_id', '=', userId).execute();
}

export async function insertChallenge(
  tx: Tx,
  challenge: { hash: Buffer; userId: number | null; expiresAt: Date },
): Promise<void> {
  await tx
    .insertInto('passkey_challenges')
    .values({
      challenge_hash: challenge.hash,
      user_id: challenge.userId,
      expires_at: challenge.expiresAt,
    })
    .execute();
}

/**
 * Consumes the challenge. Returns false if it is unknown, used, expired or issued to another user.
 */
export async function consumeChallenge(
  db: Reader,
  hash: Buffer,
  userId: number | null,
  at: Date,
): Promise<boolean> {
  const row = await db
    .deleteFrom('passkey_challenges')
    .where('challenge_hash', '=', hash)
    .where('user_id', userId === null ? 'is' : '=', userId)
    .where('expires_at', '>', at)
    .returning('challenge_hash')
    .executeTakeFirst();
  return row !== undefined;
}

export async function dropOldChallenges(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('passkey_challenges').where('expires_at', '<', before).execute();
}
