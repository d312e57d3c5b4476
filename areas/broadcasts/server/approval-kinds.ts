// Approval of sending or repeating a broadcast: what a request shows, and which content and
// recipients it covers.
import {
  type ApprovalFacts,
  type ApprovalKind,
  hashState,
  isWithinApproval,
  type OutlineLine,
} from '#areas/approvals/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { getBroadcastRow, isLate, lockBroadcast, requireDraft } from './broadcasts.ts';
import { findExperiments, findVariants } from './experiments/experiments.sql.ts';
import { requireSchedulable, schedule, scheduleAt } from './lifecycle.ts';
import {
  type BroadcastAdapter,
  type BroadcastRow,
  scheduleKind,
  type ShownBroadcast,
} from './adapter.ts';
import {
  resolveAudience,
  readRecipientChoices,
  countRecipients,
  lockConditions,
} from './recipients.ts';
import { type SeriesInput, setSeries } from './series.ts';
import { getTiming } from './timing/rules.ts';

type ScheduleInput = { schedule_time?: string | null; revision?: number };

export function broadcastApprovals<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  adapter: BroadcastAdapter<Row, Shown>,
): ApprovalKind[] {
  const findBroadcast = (db: Reader, accountId: number, id: number) =>
    getBroadcastRow<Row>(db, adapter, accountId, id);
  const common = {
    idKind: adapter.idKind,
    lock: async (tx: Tx, accountId: number, id: number) => {
      await lockBroadcast<Row>(tx, adapter, accountId, id);
      await lockConditions(tx, adapter, accountId, id);
    },
    computeDigest: async (tx: Tx, accountId: number, id: number) =>
      computeBroadcastDigest(tx, adapter, await findBroadcast(tx, accountId, id)),
    readPreviousOutline: async (tx: Tx, accountId: number, id: number) =>
      adapter.review.readPreviousOutline(tx, await findBroadcast(tx, accountId, id)),
  };
  return [
    {
      ...common,
      name: scheduleKind(adapter),
      requirePossible: async (tx, accountId, id, input: ScheduleInput) => {
        const row = await findBroadcast(tx, accountId, id);
        if (row.status !== 'DRAFT' && !isLate(row)) throw new AppError('already_scheduled');
        await requireSchedulable(tx, adapter, row, input.revision);
        await scheduleAt(tx, row, input.schedule_time ?? null);
      },
      readFacts: (tx, accountId, id, input) =>
        describeSchedule(tx, adapter, { accountId, id, input }),
      run: async (tx, caller, id, input: ScheduleInput) => {
        await schedule(tx, adapter, caller.accountId, id, input.schedule_time ?? null);
      },
    },
    {
      ...common,
      name: adapter.idKind === 'sms' ? 'sms_series' : 'campaign_series',
      requirePossible: async (tx, accountId, id) => {
        const row = await findBroadcast(tx, accountId, id);
        requireDraft(row);
        await adapter.requireSendable(tx, row);
      },
      readFacts: (tx, accountId, id, input) =>
        describeSeries(tx, adapter, { accountId, id, input }),
      run: async (tx, caller, id, input) => {
        await setSeries(tx, adapter, caller.accountId, id, input as SeriesInput);
      },
    },
  ];
}

type RequestedBroadcastCall = { accountId: number; id: number; input: Record<string, unknown> };

async function describeSchedule<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  { accountId, id, input }: RequestedBroadcastCall,
): Promise<ApprovalFacts> {
  const row = await getBroadcastRow<Row>(tx, adapter, accountId, id);
  const wallTime = (input as ScheduleInput).schedule_time ?? null;
  const at =
    wallTime === null ? undefined : await scheduleAt(tx, row, wallTime).catch(ignoreAppError);
  return {
    ...(await describeCommon(tx, adapter, row)),
    hasCeiling: true,
    scheduled: at?.schedule_time ?? wallTime,
    passesAt: wallTime === null ? null : (at?.scheduled_at ?? clock.now()).toISOString(),
  };
}

/**
 * Returns undefined for an AppError, such as a requested time that has passed; other errors are
 * thrown.
 */
function ignoreAppError(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}

async function describeSeries<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  { accountId, id, input }: RequestedBroadcastCall,
): Promise<ApprovalFacts> {
  const row = await getBroadcastRow<Row>(tx, adapter, accountId, id);
  const { rule, starts_on, ends_on } = input as SeriesInput;
  const details = await describeCommon(tx, adapter, row);
  const text = JSON.stringify({ ...rule, starts_on, ends_on });
  const outline: OutlineLine[] = [{ part: 'step', text }, ...details.outline];
  // The approval has no maximum number of recipients: the recipients of each copy are determined on
  // its own day, and the audience may have grown until then.
  return { ...details, outline, hasCeiling: false, scheduled: null, passesAt: null };
}

async function describeCommon<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  row: Row,
): Promise<Omit<ApprovalFacts, 'hasCeiling' | 'scheduled' | 'passesAt'>> {
  const { account_id: accountId, id } = row;
  const audience = await countRecipients(tx, adapter, accountId, id);
  const reviewSections = await adapter.review.buildApprovalFacts(tx, row, audience);
  const choices = (await readRecipientChoices(tx, adapter, accountId, [id]))(id);
  const listLines = (part: OutlineLine['part'], items: readonly { title: string }[]) =>
    items.map(({ title }) => ({ part, text: title }));
  return {
    ...reviewSections,
    title: row.title,
    digest: await computeBroadcastDigest(tx, adapter, row),
    audience,
    outline: [
      ...reviewSections.outline.filter(({ part }) => part !== 'text'),
      ...(row.send_to_all ? [{ part: 'audience' as const, text: '*' }] : []),
      ...listLines('audience', [...choices.tags, ...choices.filters]),
      ...listLines('excluded', [...choices.exclude_tags, ...choices.exclude_filters]),
      ...reviewSections.outline.filter(({ part }) => part === 'text'),
    ],
  };
}

/** Returns a digest of the content, variants, times, audience and segment conditions. */
async function computeBroadcastDigest<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  row: Row,
): Promise<string> {
  const { account_id: accountId, id } = row;
  // `withoutRecipientsOf` is left out, because each copy of a recurring campaign extends it.
  const { withoutRecipientsOf: _, ...audience } = await resolveAudience(tx, adapter, row);
  const experiments = await findExperiments(tx, adapter.tables, accountId, [id]);
  const variants = await findVariants(tx, adapter.tables, accountId, [id]);
  return hashState([
    ...[row.revision, getTiming(row), audience, await adapter.review.readState(tx, row)],
    ...[experiments.map(({ salt, test_share }) => [salt, test_share]), variants.map(getState)],
  ]);
}

const getState = ({ id, revision, number }: { id: number; revision: number; number: number }) => [
  ...[id, revision, number],
];

/** @throws approval_exceeded if a scheduled broadcast is no longer as it was approved */
export async function requireApproved<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  row: Row,
): Promise<void> {
  const { account_id: accountId, id } = row;
  await lockConditions(tx, adapter, accountId, id);
  const count = async () => (await countRecipients(tx, adapter, accountId, id)).count;
  if (!(await isWithinApproval(tx, accountId, scheduleKind(adapter), id, count))) {
    throw new AppError('approval_exceeded');
  }
}
