// Experiments in lists of broadcasts.
import type { Reader } from '#platform/server/database/database.ts';
import type { ExperimentSummary } from '../../experiment-contract.ts';
import type { BroadcastTables } from '../owner.ts';
import { decidesAt } from './life.ts';
import { countVariants, findExperiments } from './experiments.sql.ts';

/** The experiments of some broadcasts, by the broadcast's id: two statements. */
export async function experimentsOf(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  campaignIds: readonly number[],
): Promise<Map<number, ExperimentSummary>> {
  const rows = await findExperiments(db, tables, accountId, campaignIds);
  if (rows.length === 0) return new Map();
  const counts = await countVariants(db, tables, accountId, campaignIds);
  return new Map(
    rows.map((row) => [
      row.campaign_id,
      {
        state: row.state as ExperimentSummary['state'],
        reason: row.reason,
        variants: counts.get(row.campaign_id) ?? 0,
        winner: row.winner,
        decides_at: decidesAt(row)?.toISOString() ?? null,
      },
    ]),
  );
}
