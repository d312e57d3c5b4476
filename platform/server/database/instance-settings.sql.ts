// Installation-wide state that is not configuration: for example, a restore pauses all sending.
import type { Reader, Tx } from './database.ts';

/**
 * `sending_paused`: from a restore until an operator resumes sending. `last_backup`: the time of
 * the data in the last complete backup (backup/parts.sql.ts).
 */
type InstanceSetting = 'sending_paused' | 'last_backup';

/** Returns undefined if not set. */
export async function readInstanceSetting(db: Reader, key: InstanceSetting): Promise<unknown> {
  const row = await db
    .selectFrom('instance_settings')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirst();
  return row?.value;
}

/** Returns whether it was set. */
export async function deleteInstanceSetting(tx: Tx, key: InstanceSetting): Promise<boolean> {
  const row = await tx
    .deleteFrom('instance_settings')
    .where('key', '=', key)
    .returning('key')
    .executeTakeFirst();
  return row !== undefined;
}
