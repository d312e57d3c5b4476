// Experiments in the form of the contract.
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { Metric } from '../../shared.ts';
import type { BroadcastRow } from '../owner.ts';
import { requireExperiment } from './draft.ts';
import type { ExperimentRow, VariantRow } from './experiments.sql.ts';
import { decidesAt } from './life.ts';
import type { ExperimentOwner } from './owner.ts';
import { percentsOf } from './shares.ts';

/** The experiment of a broadcast. */
export async function readExperiment<Row extends BroadcastRow, Variant extends VariantRow>(
  db: Reader,
  owner: ExperimentOwner<Row, Variant>,
  accountId: number,
  id: number,
) {
  const { row, experiment, variants } = await requireExperiment<Row, Variant>(
    db,
    owner,
    accountId,
    id,
  );
  const metric = experiment.metric as Metric;
  const shares = percentsOf(experiment, variants.length);
  return {
    id: encodeId(owner.experimentKind, id),
    ...settingsOf(experiment),
    state: experiment.state,
    reason: experiment.reason,
    decides_at: decidesAt(experiment)?.toISOString() ?? null,
    variants: variants.map((variant) => ({
      ...owner.present(row, variant),
      number: variant.number,
      delay_minutes: variant.delay_minutes,
      share: shares.variant,
      figures: null,
    })),
    rest: shares.rest > 0 ? { share: shares.rest, people: null, state: null } : null,
    holdout: experiment.holdout_share > 0 ? { people: 0, effect: null } : null,
    baseline: await owner.baseline(db, accountId, metric),
    revenue_currency: null,
    decided: null,
    final: null,
  };
}

function settingsOf(experiment: ExperimentRow) {
  const { metric, duration_hours, test_share, holdout_share, is_automatic, fallback } = experiment;
  const decision = is_automatic ? ('automatic' as const) : ('manual' as const);
  return { metric, duration_hours, test_share, holdout_share, decision, fallback };
}
