// A part of a transaction that may fail without ending it.
import { sql } from 'kysely';
import type { Tx } from './database.ts';

/** Undone where it throws; the transaction goes on. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(tx);
  try {
    const result = await work();
    await sql`release savepoint part`.execute(tx);
    return result;
  } catch (error) {
    // Where even that fails, the connection is gone: the first error tells.
    await sql`rollback to savepoint part`.execute(tx).catch(() => {});
    throw error;
  }
}
