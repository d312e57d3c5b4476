// Measures the effect of sending at each recipient's best hour: the opens of these recipients, and
// of a control group that is sent to at the account's best hour.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import { acceptedCopies } from '../ledger/accepted.sql.ts';
import { findBestHour } from './send-hours.sql.ts';
import { hourSalt, isInControl } from './slice-waves.sql.ts';

export type HourGroup = { accepted: number; acted: number };

/**
 * Counts recipients and, as `acted`, recipients with a human open. Only recipients whose best hour
 * differs from the account's are counted, because others are sent to at the same time in both
 * groups.
 */
export async function readActionsByHour(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  salt: string,
): Promise<{ own: HourGroup; control: HourGroup }> {
  const usualHour = (await findBestHour(db, accountId))?.hour ?? -1;
  const { rows } = await sql<HourGroup & { is_control: boolean }>`
    select ${isInControl(hourSalt(salt))} as is_control, count(*)::int as accepted,
      count(o.first_human_open_at)::int as acted
    from (select c.subscriber_id as id, c.message_id
      from (${acceptedCopies(accountId, messageIds, true)}) c) s
    join send_hours h on h.account_id = ${accountId} and h.subscriber_id = s.id
      and h.hour <> ${usualHour}
    left join outcomes o on o.account_id = ${accountId} and o.subscriber_id = s.id
      and o.message_id = s.message_id
    group by 1`.execute(db);
  const group = (isControl: boolean): HourGroup => {
    const row = rows.find((row) => row.is_control === isControl);
    return { accepted: row?.accepted ?? 0, acted: row?.acted ?? 0 };
  };
  return { own: group(false), control: group(true) };
}
