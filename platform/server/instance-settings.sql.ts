// What holds for the whole installation and is no configuration: a restore pauses all sending by it.
import type { Reader, Tx } from './database.ts';

/** `sending_paused`: after a restore, until somebody says that mails may go on. */
type InstanceSetting = 'sending_paused';

/** Undefined where it is not set. */
export async function readInstanceSetting(db: Reader, key: InstanceSetting): Promise<unknown> {
  const row = await db
    .selectFrom('instance_settings')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirst();
  return row?.value;
}

/** Whether it was set. */
export async function deleteInstanceSetting(tx: Tx, key: InstanceSetting): Promise<boolean> {
  const row = await tx
    .deleteFrom('instance_settings')
    .where('key', '=', key)
    .returning('key')
    .executeTakeFirst();
  return row !== undefined;
}
