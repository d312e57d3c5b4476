// SQL of accepting emails: idempotency keys, their responses and the emails in one statement with
// its own commit.
import { sql } from 'kysely';
import { addReady, type ReadySingles } from '#areas/delivery/server/ledger/index.ts';
import type { Db } from '#platform/server/database/database.ts';
import { claimAnswered, type StoredAnswers } from '#platform/server/http/idempotency.sql.ts';
import { prepareStatement } from '#platform/server/database/prepared.ts';

const take = prepareStatement<ReadySingles & StoredAnswers>(
  (v) => sql`
    with claimed as (${claimAnswered(v)}), added as (${addReady(v)})
    select id from added`,
);

/** Ids of the inserted emails; the keys of the others existed before. */
export async function acceptEmails(
  db: Db,
  singles: ReadySingles,
  answers: StoredAnswers,
): Promise<Set<number>> {
  const rows = await take(db, { ...answers, ...singles });
  return new Set(rows.map(([id]) => id as number));
}
