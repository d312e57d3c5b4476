// Inserts accepted emails together with their idempotency keys and stored responses.
import { sql } from 'kysely';
import { addReady, type ReadySingles } from '#areas/delivery/server/ledger/index.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { claimWithResponse, type StoredResponses } from '#platform/server/http/idempotency.sql.ts';
import { prepareStatement } from '#platform/server/database/prepared.ts';
import { isOnCluster } from '#platform/server/database/query-plan.sql.ts';

const ACCOUNTS = sql`accounts`;

const insertEmails = prepareStatement<ReadySingles & StoredResponses>(
  (v) => sql`
    with claimed as (${claimWithResponse(v, ACCOUNTS)}), added as (${addReady(v, sql`claimed`)})
    select id from added`,
);

const claimKeys = prepareStatement<StoredResponses>((v) => claimWithResponse(v, ACCOUNTS));

const insertClaimed = prepareStatement<ReadySingles & { claimedKeys: readonly unknown[] }>((v) =>
  addReady(v, sql`unnest(${v.claimedKeys}::text[]) c(key)`),
);

const clusters = new WeakMap<Db, Promise<boolean>>();

function isCluster(db: Db): Promise<boolean> {
  const cachedIsCluster = clusters.get(db) ?? isOnCluster(db);
  clusters.set(db, cachedIsCluster);
  cachedIsCluster.catch(() => clusters.delete(db));
  return cachedIsCluster;
}

/**
 * Inserts the emails whose keys are new and returns their ids. Runs one statement, which commits on
 * its own; on a cluster it runs two in a transaction, because the single statement would send the
 * claimed keys to every node.
 */
export async function acceptEmails(
  db: Db,
  singles: ReadySingles,
  storedResponses: StoredResponses,
): Promise<Set<number>> {
  const rows = (await isCluster(db))
    ? await inTransaction(db, async (tx) => {
        const claimedKeys = (await claimKeys(tx, storedResponses)).map(([key]) => key);
        return insertClaimed(tx, { ...singles, claimedKeys });
      })
    : await insertEmails(db, { ...storedResponses, ...singles });
  return new Set(rows.map(([id]) => id as number));
}
