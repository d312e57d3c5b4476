// Finds campaigns that Sendloom has paused and that a user has to decide about.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import type { StateReason } from '../../shared.ts';

/**
 * Reasons of pauses that a user ends, by resuming or canceling the campaign. A pause by the plan's
 * limit also ends with a larger plan or a new month.
 */
const STOPPED = [
  'sender_refused',
  'bounces_high',
  'complaints_high',
  'mails_refused',
  'content_unsendable',
  'audience_failed',
  'sender_not_verified',
  'plan_limit',
] as const satisfies readonly StateReason[];

export type StoppedMessage = { source_id: number; reason: (typeof STOPPED)[number] };

export async function listStoppedCampaigns(
  db: Reader,
  accountId: number,
  limit: number,
): Promise<StoppedMessage[]> {
  const { rows } = await sql<StoppedMessage>`
    select source_id, min(state_reason) as reason from messages
    where account_id = ${accountId} and kind = 'campaign' and state = 'paused'
      and state_reason = any(${[...STOPPED]}::text[]) and source_id is not null
    group by source_id order by max(id) desc limit ${limit}`.execute(db);
  return rows;
}
