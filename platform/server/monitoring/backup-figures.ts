// Metrics of backups: the product's own, and PostgreSQL's archive of the write-ahead log.
import { z } from 'zod';
import { readLastArchivedAt } from '../database/database-facts.sql.ts';
import type { Db } from '../database/database.ts';
import { readInstanceSetting } from '../database/instance-settings.sql.ts';
import type { MetricSample } from '../metrics.ts';

const LastBackup = z.object({ at: z.iso.datetime() });

/** Samples backups; a kind without a backup has no series. */
export async function sampleBackups(db: Db): Promise<MetricSample[]> {
  const [backupState, archivedAt] = await Promise.all([
    readInstanceSetting(db, 'last_backup'),
    readLastArchivedAt(db),
  ]);
  const last = LastBackup.safeParse(backupState).data;
  const valueOf = (at: Date | null | undefined) => (at ? [{ value: at.getTime() / 1_000 }] : []);
  return [
    {
      kind: 'gauge',
      name: 'last_backup_timestamp_seconds',
      help: 'Time of the data in the last complete backup of npm run backup, as seconds since 1970',
      values: valueOf(last && new Date(last.at)),
    },
    {
      kind: 'gauge',
      name: 'last_archived_wal_timestamp_seconds',
      help: 'Time when PostgreSQL last archived a WAL file, as seconds since 1970; absent without archive_mode',
      values: valueOf(archivedAt),
    },
  ];
}
