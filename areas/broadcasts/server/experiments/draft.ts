// The experiment of a draft: reads, changes, deletes and copies its settings and variants.
import { randomBytes } from 'node:crypto';
import { hasStores } from '#areas/stores/server/index.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import type { ExperimentMetric } from '../../shared.ts';
import {
  getBroadcastRow,
  toStepChange,
  checkRevision,
  lockBroadcast,
  requireEditable,
} from '../broadcasts.ts';
import { updateRow } from '../broadcasts.sql.ts';
import type { BroadcastRow, BroadcastTables } from '../adapter.ts';
import * as store from './experiments.sql.ts';
import type { ExperimentAdapter, VariantInput } from './adapter.ts';
import type { ExperimentRow, VariantChanges, VariantRow } from './rows.ts';

export type ExperimentInput<Input extends VariantInput> = {
  revision?: number | undefined;
  metric: ExperimentMetric;
  duration_hours: number;
  test_share: number;
  holdout_share: number;
  holdout_days: number;
  decision: 'automatic' | 'manual';
  fallback: 'leader' | 'control';
  variants: readonly Input[];
};

/** Returns the experiment of a broadcast and its variants; throws `not_found` if there is none. */
export async function requireExperiment<Row extends BroadcastRow, Variant extends VariantRow>(
  db: Reader,
  { broadcast }: Pick<ExperimentAdapter<Row, Variant>, 'broadcast'>,
  accountId: number,
  id: number,
): Promise<{ row: Row; experiment: ExperimentRow; variants: Variant[] }> {
  const { tables } = broadcast;
  const row = await getBroadcastRow<Row>(db, broadcast, accountId, id);
  const [experiment] = await store.findExperiments(db, tables, accountId, [id]);
  if (!experiment) throw notFound();
  return {
    row,
    experiment,
    variants: await store.findVariants<Variant>(db, tables, accountId, [id]),
  };
}

export async function setExperiment<
  Row extends BroadcastRow,
  Variant extends VariantRow,
  Input extends VariantInput,
>(
  tx: Tx,
  adapter: ExperimentAdapter<Row, Variant, Input>,
  caller: Actor,
  id: number,
  input: ExperimentInput<Input>,
): Promise<void> {
  const { accountId } = caller;
  const row = await requireChangeableDraft(tx, adapter, accountId, id, input.revision);
  await checkInput(tx, adapter, accountId, input);
  const { broadcast } = adapter;
  const { tables } = broadcast;
  const existingVariants = await store.findVariants<Variant>(tx, tables, accountId, [id]);
  const variants = [];
  for (const [index, variant] of input.variants.entries()) {
    const knownId = adapter.getVariantId(variant);
    const existing = existingVariants.find(
      (variant) => variant.id === knownId && variant.number > 1,
    );
    if (knownId !== undefined && !existing) throw invalid({ variants: ['errors.unknown_id'] });
    const number = index + 1;
    const columns = await adapter.buildColumns(tx, caller, row, variant, existing);
    const changedVariant = existing && { id: existing.id, revision: existing.revision + 1 };
    variants.push({
      ...columns,
      ...changedVariant,
      number,
      delay_minutes: variant.delay_minutes ?? null,
    });
  }
  await store.saveExperiment(tx, tables, accountId, id, {
    metric: input.metric,
    duration_hours: input.duration_hours,
    test_share: input.test_share,
    holdout_share: input.holdout_share,
    holdout_days: input.holdout_days,
    is_automatic: input.decision === 'automatic',
    fallback: input.fallback,
    salt: randomBytes(16).toString('hex'),
  });
  await store.replaceVariants(tx, tables, accountId, id, variants);
  await saveRevision(tx, adapter, row);
}

export async function deleteExperiment<Row extends BroadcastRow, Variant extends VariantRow>(
  tx: Tx,
  adapter: ExperimentAdapter<Row, Variant>,
  accountId: number,
  id: number,
  revision: number | undefined,
): Promise<void> {
  const row = await requireChangeableDraft(tx, adapter, accountId, id, revision);
  if (!(await store.deleteExperiment(tx, adapter.broadcast.tables, accountId, id)))
    throw notFound();
  await saveRevision(tx, adapter, row);
}

/** Copies the experiment and its variants' contents to a new draft. */
export async function copyExperiment<Row extends BroadcastRow, Variant extends VariantRow>(
  tx: Tx,
  adapter: Pick<ExperimentAdapter<Row, Variant>, 'copyVariant'> & {
    broadcast: Pick<ExperimentAdapter<Row, Variant>['broadcast'], 'tables'>;
  },
  accountId: number,
  from: number,
  targetItem: { id: number; userId: number | null },
): Promise<void> {
  const { tables } = adapter.broadcast;
  const [experiment] = await store.findExperiments(tx, tables, accountId, [from]);
  if (!experiment) return;
  const variants = [];
  for (const variant of await store.findVariants<Variant>(tx, tables, accountId, [from])) {
    const { number, delay_minutes } = variant;
    const columns = await adapter.copyVariant(tx, accountId, targetItem.userId, variant);
    variants.push({ ...columns, number, delay_minutes });
  }
  await insertExperiment(tx, tables, { accountId, id: targetItem.id }, experiment, variants);
}

/**
 * Inserts a copy of `experiment` for a new draft, possibly in another account. An account without a
 * store has no buyers, so its copy compares clicks instead of buyers or revenue.
 */
export async function insertExperiment(
  tx: Tx,
  tables: BroadcastTables,
  targetItem: { accountId: number; id: number },
  experiment: ExperimentRow,
  variants: readonly (VariantChanges & { number: number })[],
): Promise<void> {
  const { duration_hours, test_share, holdout_share, holdout_days } = experiment;
  const { is_automatic, fallback } = experiment;
  const canCompare = !needsStore(experiment.metric) || (await hasStores(tx, targetItem.accountId));
  await store.saveExperiment(tx, tables, targetItem.accountId, targetItem.id, {
    ...{ duration_hours, test_share, holdout_share, holdout_days, is_automatic, fallback },
    metric: canCompare ? experiment.metric : 'clicks',
    salt: randomBytes(16).toString('hex'),
  });
  await store.replaceVariants(tx, tables, targetItem.accountId, targetItem.id, variants);
}

const needsStore = (metric: string) => metric === 'buyers' || metric === 'revenue';

async function requireChangeableDraft<Row extends BroadcastRow, Variant extends VariantRow>(
  tx: Tx,
  { broadcast }: Pick<ExperimentAdapter<Row, Variant>, 'broadcast'>,
  accountId: number,
  id: number,
  revision: number | undefined,
): Promise<Row> {
  const row = await lockBroadcast<Row>(tx, broadcast, accountId, id);
  await requireEditable(tx, broadcast, row);
  if (revision !== undefined) checkRevision(row, revision);
  const isResend = (await broadcast.findFixedAudience?.(tx, row)) !== undefined;
  if (isResend) throw new AppError('experiment_of_resend');
  return row;
}

async function saveRevision<Row extends BroadcastRow, Variant extends VariantRow>(
  tx: Tx,
  { broadcast }: Pick<ExperimentAdapter<Row, Variant>, 'broadcast'>,
  row: Row,
): Promise<void> {
  const { all, withoutRecipients } = broadcast.steps;
  const { account_id: accountId, id } = row;
  await updateRow(tx, broadcast, accountId, id, toStepChange(row, all, withoutRecipients));
  sendChangeHint(tx, accountId, broadcast.idKind, id);
}

async function checkInput<
  Row extends BroadcastRow,
  Variant extends VariantRow,
  Input extends VariantInput,
>(
  db: Reader,
  adapter: ExperimentAdapter<Row, Variant, Input>,
  accountId: number,
  input: ExperimentInput<Input>,
): Promise<void> {
  const { metric, variants } = input;
  const total = 100 - input.test_share;
  if (input.holdout_share > total) {
    throw invalid({ holdout_share: [`errors.fields.large?max=${total}`] });
  }
  if (!adapter.metrics.includes(metric)) throw invalid({ metric: ['errors.fields.choice'] });
  const [control, ...others] = variants as readonly [Input, ...Input[]];
  if (
    adapter.getVariantId(control) !== undefined ||
    adapter.changesMessage(control) ||
    control.delay_minutes
  ) {
    throw invalid({ variants: ['errors.experiment_control'] });
  }
  const ids = others.flatMap((input) => adapter.getVariantId(input) ?? []);
  if (new Set(ids).size !== ids.length) throw invalid({ variants: ['errors.unknown_id'] });
  if (needsStore(metric) && !(await hasStores(db, accountId))) {
    throw new AppError('experiment_needs_store');
  }
}
