// Reads database server details for the operator.
import { sql } from 'kysely';
import type { Db } from './database.ts';

/** `bytes`: size of this database on disk; on a cluster, of the coordinator's database. */
export async function readDatabaseStats(
  db: Db,
): Promise<{ version: string; bytes: number; connections: number }> {
  const { rows } = await sql<{ version: string; bytes: number; connections: number }>`
    select current_setting('server_version') as version,
      pg_database_size(current_database()) as bytes,
      (select count(*) from pg_stat_activity where datname = current_database()) as connections`.execute(
    db,
  );
  return rows[0] ?? { version: '', bytes: 0, connections: 0 };
}

/** Returns when the server last archived a WAL file; null if it archives none. */
export async function readLastArchivedAt(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select last_archived_time as at from pg_stat_archiver
    where current_setting('archive_mode') <> 'off'`.execute(db);
  return rows[0]?.at ?? null;
}
