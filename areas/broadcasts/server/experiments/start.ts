// Starts an experiment: each variant is a separate message, and all share one audience.
import { getMessageKindRules } from '#areas/delivery/message-kinds.ts';
import { type Audience, countAudience, startGroup } from '#areas/delivery/server/ledger/index.ts';
import { excludeRange } from '#areas/experiments/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { MIN_VARIANT_PEOPLE } from '../../shared.ts';
import type { BroadcastAdapter, BroadcastRow } from '../adapter.ts';
import { resolveAudience } from '../recipients.ts';
import * as store from './experiments.sql.ts';
import { READINESS_CHECK_MS, computeExperimentRanges, getRemainingShare } from './schedule.ts';

const MINUTE_MS = 60_000;

/**
 * Checks the experiment of a draft before sending. @throws variants_alike, experiment_small, and
 * errors that prevent sending a variant
 */
export async function requireStartable<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  row: Row,
): Promise<void> {
  const withVariants = await store.findWithVariants(tx, adapter.tables, row.account_id, row.id);
  if (!withVariants) return;
  const { experiment, variants } = withVariants;
  const keys = new Set<string>();
  for (const variant of variants) {
    const asSent = adapter.withVariant(row, variant);
    if (variant.number > 1) await adapter.requireVariant(tx, asSent);
    keys.add(JSON.stringify([await adapter.contentKey(tx, asSent), variant.delay_minutes ?? 0]));
  }
  if (keys.size < variants.length) throw new AppError('variants_alike');
  const { channel } = getMessageKindRules(adapter.messageKind);
  const audience = await resolveAudience(tx, adapter, row);
  const { count } = await countAudience(tx, row.account_id, audience, channel);
  const perVariant = (count * experiment.test_share) / 100 / variants.length;
  if (perVariant < MIN_VARIANT_PEOPLE) {
    throw new AppError('experiment_small', { values: { min: MIN_VARIANT_PEOPLE } });
  }
}

/** Returns the audience of a draft without the holdout group of its experiment. */
export async function excludeHoldout<Row extends BroadcastRow>(
  db: Reader,
  { tables }: Pick<BroadcastAdapter<Row>, 'tables'>,
  { account_id: accountId, id }: Row,
  audience: Audience,
): Promise<Audience> {
  const [experiment] = await store.findExperiments(db, tables, accountId, [id]);
  if (!experiment) return audience;
  const variants = await store.findVariants(db, tables, accountId, [id]);
  const { holdout } = computeExperimentRanges(experiment, variants.length);
  return { ...audience, places: { salt: experiment.salt, ranges: excludeRange(holdout) } };
}

/**
 * Returns whether some emails are sent later: to the remaining recipients, or for variants with a
 * delay.
 */
export async function hasLaterParts<Row extends BroadcastRow>(
  db: Reader,
  { tables }: Pick<BroadcastAdapter<Row>, 'tables'>,
  { account_id: accountId, id }: Row,
): Promise<boolean> {
  const experiment = await store.findWithVariants(db, tables, accountId, id);
  if (!experiment) return false;
  const isDelayed = experiment.variants.some(({ delay_minutes: delay }) => delay);
  return getRemainingShare(experiment.experiment) > 0 || isDelayed;
}

/** Starts the variants of the experiment; returns undefined if the broadcast has none. */
export async function startTest<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  row: Row,
  audience: Audience,
): Promise<number | undefined> {
  const { account_id: accountId, id } = row;
  const { tables } = adapter;
  const withVariants = await store.findWithVariants(tx, tables, accountId, id);
  if (!withVariants) return undefined;
  const { experiment, variants } = withVariants;
  const ranges = computeExperimentRanges(experiment, variants.length);
  const messages = [];
  for (const [index, variant] of variants.entries()) {
    const message = await adapter.buildMessage(tx, adapter.withVariant(row, variant));
    const range = ranges.variants[index] as (typeof ranges.variants)[number];
    messages.push({ message, range, opensAt: computeOpensAt(variant.delay_minutes) });
  }
  const { salt } = experiment;
  const plan = { salt, parts: messages, holdout: ranges.holdout };
  const { messageIds } = await startGroup(tx, plan, audience);
  for (const [index, variant] of variants.entries()) {
    const messageId = messageIds[index] as number;
    await store.updateVariant(tx, tables, accountId, variant.id, { message_id: messageId });
  }
  const nextCheck = new Date(clock.now().getTime() + READINESS_CHECK_MS);
  await store.updateExperiment(tx, tables, accountId, id, {
    ...store.UNDECIDED,
    state: 'testing',
    next_look_at: nextCheck,
  });
  return messageIds[0];
}

const computeOpensAt = (delayMinutes: number | null): Date | undefined =>
  delayMinutes ? new Date(clock.now().getTime() + delayMinutes * MINUTE_MS) : undefined;
