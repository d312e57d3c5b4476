// What the figures of a message mean: the one place where the ledger's counts and the engagement
// counters become what people read.
import type { Reader } from '#platform/server/database.ts';
import { type EngagementCounts, readEngagementCounts } from './engagement.sql.ts';

/** The ledger's counts that figures are made of. */
export type HandedOver = {
  counts: { accepted: number; failed: number; unknown: number };
  /** Of the unknown ones: came back since, and so were never among those accepted. */
  unknownReturned: number;
};

export type Figures = {
  /** Handed to the relay: taken, refused, or without an answer. */
  sent: number;
  /** Taken by the relay and not come back. */
  delivered: number;
  /** People, once each; whoever clicked has opened. `human_` without machines. */
  opens: number;
  human_opens: number;
  clicks: number;
  human_clicks: number;
  /** Times: pictures loaded, links followed. */
  total_opens: number;
  total_human_opens: number;
  total_clicks: number;
  total_human_clicks: number;
  unsubscribes: number;
  /** The address does not exist. */
  hard_bounces: number;
  /** Refused or given up for another reason. */
  soft_bounces: number;
  complaints: number;
};

export function figuresOf(
  { counts, unknownReturned }: HandedOver,
  engagement: EngagementCounts | undefined,
): Figures {
  const value = (name: Exclude<keyof EngagementCounts, 'message_id'>) => engagement?.[name] ?? 0;
  return {
    sent: counts.accepted + counts.failed + counts.unknown,
    delivered: Math.max(0, counts.accepted + unknownReturned - value('returned')),
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

/** The engagement of messages by their number; a message without any is missing. */
export async function readEngagement(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<Map<number, EngagementCounts>> {
  if (messageIds.length === 0) return new Map();
  const rows = await readEngagementCounts(db, accountId, messageIds);
  return new Map(rows.map((row) => [row.message_id, row]));
}
