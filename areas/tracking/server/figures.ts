// Definition of a message's figures: the only place that derives displayed figures from the
// ledger's counts and the engagement counters.
import type { Reader } from '#platform/server/database/database.ts';
import { type EngagementCounts, readEngagementCounts } from './engagement.sql.ts';

/** The ledger's counts that figures use. */
export type HandoffCounts = {
  counts: { accepted: number; failed: number; unknown: number };
  /** Unknown copies that bounced since, and so were never among the accepted ones. */
  bouncedUnknown: number;
};

export type Figures = {
  /** Number of copies handed to the relay: accepted, refused, or without a reply. */
  sent: number;
  /** Number of copies that the relay accepted, without a bounce since. */
  delivered: number;
  /**
   * Numbers of subscribers, each counted once; a click counts as an open, too. `human_` excludes
   * machines.
   */
  opens: number;
  human_opens: number;
  clicks: number;
  human_clicks: number;
  /** Number of events: images loaded, links followed. */
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
): Figures {
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

/** Engagement of messages by id; a message without any is absent. */
export async function readEngagement(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<Map<number, EngagementCounts>> {
  if (messageIds.length === 0) return new Map();
  const rows = await readEngagementCounts(db, accountId, messageIds);
  return new Map(rows.map((row) => [row.message_id, row]));
}
