// Checks whether a newer consent makes a revocation unnecessary.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

/**
 * Returns whether the account has connected to Google through the consent screen after an instant.
 * Postmaster Tools connections with a key have a title and are ignored.
 */
export async function isConnectedSince(
  db: Reader,
  accountId: number,
  since: Date,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from postmaster_connections
    where account_id = ${accountId} and created_at > ${since} and title = ''
    union all
    select 1 from seed_mailboxes
    where account_id = ${accountId} and created_at > ${since} and service = 'google'
    limit 1`.execute(db);
  return rows.length > 0;
}
