// SQL of campaigns that stand still until their owner decides.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database.ts';
import type { StateReason } from '../../limits.ts';

/** Stopped by Sendloom itself, not by a person: nothing goes on before somebody resumes or cancels. */
const STOPPED = [
  'sender_refused',
  'bounces_high',
  'complaints_high',
  'mails_refused',
  'content_unsendable',
  'sender_not_verified',
  'plan_limit',
] as const satisfies readonly StateReason[];

export type StoppedMessage = { source_id: number; reason: (typeof STOPPED)[number] };

/** The newest first. */
export async function stoppedCampaigns(
  db: Reader,
  accountId: number,
  limit: number,
): Promise<StoppedMessage[]> {
  const { rows } = await sql<StoppedMessage>`
    select source_id, state_reason as reason from messages
    where account_id = ${accountId} and kind = 'campaign' and state = 'paused'
      and state_reason = any(${[...STOPPED]}::text[]) and source_id is not null
    order by id desc limit ${limit}`.execute(db);
  return rows;
}
