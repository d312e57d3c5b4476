// Sends notifications to other processes: live hints and other channels.
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
