// Runs a part of a transaction that may fail without ending the transaction.
import { sql } from 'kysely';
import type { Tx } from './database.ts';

/** If the work throws, rolls it back and throws the error again; the transaction can continue. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(tx);
  try {
    const result = await work();
    await sql`release savepoint part`.execute(tx);
    return result;
  } catch (error) {
    // If the rollback also fails, the connection is lost: the first error is the relevant one.
    await sql`rollback to savepoint part`.execute(tx).catch(() => {});
    throw error;
  }
}
