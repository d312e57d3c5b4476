// Simulates jobs that killed their worker, by writing the error that the queue would record.
import { sql } from 'kysely';
import type { Db } from '#platform/server/database/database.ts';
import { MAX_KILLS } from '#platform/server/jobs/jobs.ts';

/**
 * Marks an account's waiting job as one that has killed its worker so often that it must be
 * abandoned.
 */
export async function markJobAsAbandoned(db: Db, job: string, accountId: number): Promise<void> {
  const { rows } = await sql`
    update graphile_worker._private_jobs
    set last_error = ${`Killed its worker ${MAX_KILLS} times`}
    where task_id = (select id from graphile_worker._private_tasks where identifier = ${job})
      and payload->>'accountId' = ${String(accountId)}
    returning id`.execute(db);
  if (rows.length !== 1) throw new Error(`${rows.length} jobs of ${job} are waiting`);
}
