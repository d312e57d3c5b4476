// Summaries of experiments for lists of broadcasts.
import type { MessageDelivery } from '#areas/delivery/server/ledger/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { ExperimentSummary } from '../../experiment-contract.ts';
import type { AnyVariant, BroadcastTables } from '../adapter.ts';
import { hasRestDue } from './decision.ts';
import { getDecisionTime } from './schedule.ts';
import { findExperiments, findVariants } from './experiments.sql.ts';

/** Returns the summaries of these broadcasts' experiments, keyed by the id of the broadcast. */
export async function readExperimentSummaries(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  campaignIds: readonly number[],
): Promise<Map<number, ExperimentSummary>> {
  const rows = await findExperiments(db, tables, accountId, campaignIds);
  if (rows.length === 0) return new Map();
  const variants = await findVariants<AnyVariant>(db, tables, accountId, campaignIds);
  return new Map(
    rows.map((row) => {
      const campaignVariants = variants.filter(
        (variant) => variant.campaign_id === row.campaign_id,
      );
      const chosenVariant = campaignVariants.find(({ number }) => number === row.chosen);
      const summary = {
        state: row.state as ExperimentSummary['state'],
        reason: row.reason,
        variants: campaignVariants.length,
        has_rest_due: hasRestDue(row),
        winner: row.winner,
        subject: chosenVariant && 'subject' in chosenVariant ? chosenVariant.subject : null,
        decides_at: getDecisionTime(row)?.toISOString() ?? null,
      };
      return [row.campaign_id, summary] as const;
    }),
  );
}

/**
 * Returns the delivery as shown: a broadcast is being sent until the remaining recipients' copies
 * are handed off, even while it waits for the decision.
 */
export function extendUntilRemainder(
  delivery: MessageDelivery,
  experiment: ExperimentSummary | null,
): MessageDelivery {
  const isOver = delivery.state === 'finished';
  return isOver && experiment?.has_rest_due ? { ...delivery, state: 'sending' } : delivery;
}
