// Computes the statistics of messages to many subscribers from the ledger's counts and the
// engagement counts. Transactional email has its own definition (areas/transactional).
import type { Reader } from '#platform/server/database/database.ts';
import { type EngagementCounts, readEngagementCounts } from './engagement.sql.ts';

/** The ledger counts that the statistics use. */
export type HandoffCounts = {
  counts: { accepted: number; failed: number; unknown: number };
  /** Copies of unknown outcome that bounced later; they are not among the accepted ones. */
  bouncedUnknown: number;
};

export type EngagementFigures = {
  /** Number of copies that were accepted, have failed, or are of unknown outcome. */
  sent: number;
  /** Number of accepted copies that have not bounced. */
  delivered: number;
  /**
   * Numbers of subscribers with an open or click, each counted once; a click also counts as an
   * open. Counts with `human_` exclude automated ones.
   */
  opens: number;
  human_opens: number;
  clicks: number;
  human_clicks: number;
  /** Numbers of all opens and clicks. */
  total_opens: number;
  total_human_opens: number;
  total_clicks: number;
  total_human_clicks: number;
  unsubscribes: number;
  /** Bounces because the address does not exist. */
  hard_bounces: number;
  /** Copies that were refused or abandoned for another reason. */
  soft_bounces: number;
  complaints: number;
};

export function computeFigures(
  { counts, bouncedUnknown }: HandoffCounts,
  engagement: EngagementCounts | undefined,
): EngagementFigures {
  const value = (name: Exclude<keyof EngagementCounts, 'message_id'>) => engagement?.[name] ?? 0;
  return {
    sent: counts.accepted + counts.failed + counts.unknown,
    delivered: Math.max(0, counts.accepted + bouncedUnknown - value('returned')),
    opens: value('unique_opens'),
    human_opens: value('unique_human_opens'),
    clicks: value('unique_clicks'),
    human_clicks: value('unique_human_clicks'),
    total_opens: value('opens'),
    total_human_opens: value('human_opens'),
    total_clicks: value('clicks'),
    total_human_clicks: value('human_clicks'),
    unsubscribes: value('unsubscribes'),
    hard_bounces: value('hard_bounces'),
    soft_bounces: value('soft_bounces'),
    complaints: value('complaints'),
  };
}

/** Returns the engagement counts by message; the map lacks messages without engagement. */
export async function readEngagement(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<Map<number, EngagementCounts>> {
  if (messageIds.length === 0) return new Map();
  const rows = await readEngagementCounts(db, accountId, messageIds);
  return new Map(rows.map((row) => [row.message_id, row]));
}
