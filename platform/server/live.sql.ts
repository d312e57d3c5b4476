// The channel that carries live hints between processes.
import { sql } from 'kysely';
import type { Db } from './database.ts';

export const CHANNEL = 'sendloom_live';

/** Sends payloads (under 8,000 bytes each) to every process that listens. */
export async function notify(db: Db, payloads: readonly string[]): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, payload) from unnest(${payloads}::text[]) as payload`.execute(
    db,
  );
}
