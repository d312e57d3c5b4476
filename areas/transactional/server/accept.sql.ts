// Inserts accepted emails together with their idempotency keys and stored responses: one statement,
// which commits on its own.
import { sql } from 'kysely';
import { addReady, type ReadySingles } from '#areas/delivery/server/ledger/index.ts';
import type { Db } from '#platform/server/database/database.ts';
import { claimAnswered, type StoredAnswers } from '#platform/server/http/idempotency.sql.ts';
import { prepareStatement } from '#platform/server/database/prepared.ts';

const insertEmails = prepareStatement<ReadySingles & StoredAnswers>(
  (v) => sql`
    with claimed as (${claimAnswered(v)}), added as (${addReady(v)})
    select id from added`,
);

/** Returns the ids of the inserted emails; an email whose key existed before is not inserted. */
export async function acceptEmails(
  db: Db,
  singles: ReadySingles,
  answers: StoredAnswers,
): Promise<Set<number>> {
  const rows = await insertEmails(db, { ...answers, ...singles });
  return new Set(rows.map(([id]) => id as number));
}
