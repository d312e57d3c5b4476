// Sends PostgreSQL notifications to the product's processes, by default on the channel of live
// hints.
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';

export const CHANNEL = 'sendloom_live';

/** Sends payloads (under 8,000 bytes each) to every listening process. */
export async function notify(
  db: Db,
  payloads: readonly string[],
  channel = CHANNEL,
): Promise<void> {
  await sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as payload`.execute(
    db,
  );
}
