// Bulk actions select subscribers by id or by conditions and change them slice by slice. A job
// changes the subscribers beyond a call's limit, starting where the call stopped.
import { randomUUID } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import { z } from 'zod';
import {
  getRemainingCeiling,
  releaseAction,
  requestRemainder,
  useApproval,
} from '#areas/approvals/server/index.ts';
import { readFieldValue } from '#areas/fields/server/index.ts';
import { addToGroups, removeFromGroups, requireGroups } from '#areas/groups/server/index.ts';
import { parseFilter, readConditions } from '#areas/segments/filter-grammar.ts';
import type { Condition } from '#areas/segments/shared.ts';
import {
  toAuditedConditions,
  compileConditions,
  readContext,
} from '#areas/segments/server/index.ts';
import { type Channel, CHANNELS } from '#areas/subscribers/shared.ts';
import {
  combinePredicates,
  listSelectedAfter,
  countChosen,
  deleteSubscribers,
  hasOneOfIds,
  type Reactivation,
  reactivate,
  searchCondition,
  setFieldValue,
  undoUnsubscribe,
  unsubscribe,
  existedAt,
} from '#areas/subscribers/server/index.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import {
  afterCommit,
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import { log } from '#platform/server/log.ts';
import { addJob, defineJob, JobInterrupted, removeJob } from '#platform/server/jobs/jobs.ts';
import type { BulkResult } from '../contract.ts';
import { MAX_BULK_NOW } from '../shared.ts';
import { clearCounts } from './list.ts';
import { createSelectionId } from './selection-id.ts';

/** Subscribers per transaction, so that locks are short. */
const SLICE_ROWS = 5_000;
/** Delay of the job that finishes the action if its process died. */
const SAFETY_MS = 120_000;

const BulkActionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('delete') }),
  z.object({
    kind: z.enum(['unsubscribe', 'undo_unsubscribe']),
    channel: z.enum(CHANNELS),
    userId: z.number(),
  }),
  z.object({
    kind: z.literal('reactivate'),
    channel: z.enum(CHANNELS),
    userId: z.number(),
    consent: z.string().optional(),
  }),
  z.object({
    kind: z.enum(['add', 'remove']),
    groupId: z.number(),
    origin: z.enum(['api', 'bulk']),
  }),
  z.object({
    kind: z.literal('set_field'),
    fieldId: z.number(),
    value: z.union([z.string(), z.number()]).nullable(),
  }),
]);
export type SubscriberAction = z.infer<typeof BulkActionSchema>;

export type BulkSelection = {
  subscribers?: number[] | undefined;
  conditions?: string | unknown[] | undefined;
  search?: string | undefined;
  all?: true | undefined;
};

type BulkCount = { count: number; skipped: Record<string, number> };

/** Returns the channel in a body: `channel`, or `channel_status` from clients of the public API. */
export function readChannel(body: { channel?: Channel; channel_status?: string }): Channel {
  const channelName = body.channel ?? body.channel_status?.toLowerCase() ?? 'email';
  const channel = CHANNELS.find((channel) => channel === channelName);
  if (!channel) throw invalid({ channel_status: ['errors.fields.choice'] });
  return channel;
}

/**
 * Responds 422 and changes nothing if the call contains no selection or a malformed condition. A
 * small selection is changed in one transaction. A large one is changed in slices that are
 * committed separately, so that locks are short and a job can finish the action if the process
 * dies; changed subscribers are not changed again.
 */
export async function runBulkAction(
  db: Db,
  accountId: number,
  selection: BulkSelection,
  action: SubscriberAction,
): Promise<BulkResult> {
  const order = freezeSelection(selection);
  const start = await inTransaction(db, async (tx) => {
    if (action.kind === 'add' || action.kind === 'remove')
      await requireGroups(tx, accountId, [action.groupId]);
    const valid = await parseActionValue(tx, accountId, action);
    const where = await compileSelection(tx, accountId, order);
    const ids = await listSelectedAfter(tx, accountId, where, 0, MAX_BULK_NOW);
    if (ids.length <= SLICE_ROWS) return { result: await applyAction(tx, accountId, ids, valid) };
    const key = `${getJobKeyPrefix(accountId)}${randomUUID()}`;
    const job = { accountId, ...order, asOf: order.asOf.toISOString(), act: valid, after: 0 };
    const runAt = new Date(clock.now().getTime() + SAFETY_MS);
    await addJob(tx, bulkActJob, job, { key, runAt });
    return { ids, key, job };
  });
  clearCounts(accountId);
  if (start.ids === undefined) {
    recordBulk(order, start.result.count, false);
    return { success: true, ...start.result, queued: false };
  }
  const { ids, key, job } = start;
  const result = await applyToSlices(db, accountId, ids, job.act);
  clearCounts(accountId);
  const isMore = ids.length === MAX_BULK_NOW;
  if (isMore) await addJob(db, bulkActJob, { ...job, after: ids.at(-1) ?? 0 }, { key });
  else await removeJob(db, key);
  recordBulk(order, result.count, isMore);
  return { success: true, ...result, queued: isMore };
}

/** Records the number of changed subscribers and their selection in the audit log. */
function recordBulk(
  { subscribers, conditions, search }: FrozenSelection,
  count: number,
  isQueued: boolean,
) {
  const selection = {
    ...(conditions.length > 0 && toAuditedConditions(conditions)),
    ...(search !== undefined && { search: '…' }),
    ...(subscribers === undefined && conditions.length === 0 && !search && { all: true }),
    ...(isQueued && { queued: isQueued }),
  };
  recordChange({ count, ...(Object.keys(selection).length > 0 && { after: selection }) });
}

/**
 * Runs a bulk action within the transaction of another action. A small selection is changed
 * immediately. A large one is queued as a job, and so is one that grew beyond its approval since it
 * was counted; the job deletes no more subscribers than approved. Returns whether a job was queued.
 */
export async function applyInCallerTransaction(
  tx: Tx,
  accountId: number,
  order: FrozenSelection,
  action: SubscriberAction,
  approval?: DeletionApproval,
): Promise<boolean> {
  const where = await compileSelection(tx, accountId, order);
  const ids = await listSelectedAfter(tx, accountId, where, 0, SLICE_ROWS + 1);
  const isQueued = ids.length > SLICE_ROWS || ids.length > (approval?.most ?? ids.length);
  if (isQueued) {
    const job = {
      accountId,
      ...order,
      asOf: order.asOf.toISOString(),
      act: action,
      after: 0,
      approved: approval,
    };
    await addJob(tx, bulkActJob, job, { key: `${getJobKeyPrefix(accountId)}${randomUUID()}` });
  } else await applyAction(tx, accountId, ids, action);
  afterCommit(() => clearCounts(accountId));
  return isQueued;
}

/** Converts the value to the type of its field; responds 422 if that is impossible. */
async function parseActionValue(
  tx: Tx,
  accountId: number,
  action: SubscriberAction,
): Promise<SubscriberAction> {
  if (action.kind !== 'set_field') return action;
  return { ...action, value: await readFieldValue(tx, accountId, action.fieldId, action.value) };
}

/** Returns the prefix of the queue keys of an account's bulk actions. */
export const getJobKeyPrefix = (accountId: number) => `bulk:${accountId}:`;

const DELETION = 'subscribers_delete';

/**
 * The approval of a deletion: its id, the id of the selection (`subject`), and the maximum number
 * of subscribers (`most`). Jobs that earlier versions queued have no id.
 */
const DeletionApproval = z.object({
  id: z.number().optional(),
  subject: z.number(),
  most: z.number(),
});
type DeletionApproval = z.infer<typeof DeletionApproval>;

export const toSelection = ({ subscribers, conditions, search }: FrozenSelection) => ({
  subscribers,
  conditions,
  search,
});

/** Returns the input of a deletion as a request stores it. */
export const toStoredSelection = (order: FrozenSelection) => ({
  ...toSelection(order),
  as_of: order.asOf.toISOString(),
});

/** Log messages by the reason why a deletion must stop. */
const STOP_MESSAGES = {
  exceeded: 'A selection grew beyond its approval',
  missing: 'A deletion in the background has no approval in force',
} as const;
type StopReason = keyof typeof STOP_MESSAGES;

/** Compares the approval with the number of subscribers that are still to be deleted. */
async function readApprovalState(
  db: Db,
  accountId: number,
  order: FrozenSelection,
  { id }: DeletionApproval,
): Promise<'approved' | 'done' | StopReason> {
  const count = await countChosen(db, accountId, await compileSelection(db, accountId, order));
  if (count === 0) return 'done';
  const remainingCount =
    id === undefined ? undefined : await getRemainingCeiling(db, accountId, id);
  if (remainingCount === undefined) return 'missing';
  return remainingCount === null || count <= remainingCount ? 'approved' : 'exceeded';
}

/** The selection grew beyond its approval, or the approval has ended. */
class ApprovalExceeded extends Error {}

/**
 * Releases the approval once all subscribers are deleted; otherwise requests approval again for the
 * remaining ones.
 */
async function endApproved(
  db: Db,
  accountId: number,
  order: FrozenSelection,
  { id, subject }: DeletionApproval,
  state: 'done' | StopReason,
): Promise<void> {
  const approvedAction = { id, kind: DELETION, subject } as const;
  if (state === 'done')
    return inTransaction(db, (tx) => releaseAction(tx, accountId, approvedAction));
  const remainder = {
    subject: createSelectionId(toSelection(order)),
    input: toStoredSelection(order),
  };
  const isRequested = await inTransaction(db, (tx) =>
    requestRemainder(tx, accountId, approvedAction, remainder),
  );
  log.warn(STOP_MESSAGES[state], { account: accountId, approval: id, requestedAgain: isRequested });
}

export type FrozenSelection = {
  subscribers?: number[] | undefined;
  conditions: Condition[];
  search?: string | undefined;
  /** Subscribers added after this instant are not part of the selection. */
  asOf: Date;
};

export function freezeSelection(selection: BulkSelection): FrozenSelection {
  const { subscribers, search: term, all } = selection;
  const asOf = clock.now();
  if (subscribers) return { subscribers, conditions: [], asOf };
  const conditions = parseConditions(selection);
  const search = term?.trim() || undefined;
  if (conditions.length === 0 && !search && !all) throw new AppError('no_subscribers_selected');
  return { conditions, search, asOf };
}

/**
 * Changes each slice in a separate transaction. Slices are interleaved: a page of the table
 * contains subscribers of many slices, so a slice can reuse the space that the commit of the
 * previous slice freed on the page (heap-only updates change no index). This takes a third of the
 * time of consecutive slices.
 */
async function applyToSlices(
  db: Db,
  accountId: number,
  ids: readonly number[],
  action: SubscriberAction,
  { signal, approval }: { signal?: AbortSignal; approval?: number | undefined } = {},
): Promise<BulkCount> {
  const result: BulkCount = { count: 0, skipped: {} };
  const stripes = Math.ceil(ids.length / SLICE_ROWS);
  for (let stripe = 0; stripe < stripes; stripe++) {
    if (signal?.aborted) throw new JobInterrupted();
    const stripeIds = ids.filter((_, i) => i % stripes === stripe);
    const slice = await inTransaction(db, async (tx) => {
      if (approval !== undefined && !(await useApproval(tx, accountId, approval, stripeIds.length)))
        throw new ApprovalExceeded();
      return applyAction(tx, accountId, stripeIds, action);
    });
    addResult(result, slice);
  }
  return result;
}

/**
 * Parses all conditions; responds 422 if one is malformed: omitting it would widen the selection,
 * possibly to all subscribers.
 */
function parseConditions(selection: BulkSelection): Condition[] {
  const { conditions } = selection;
  if (conditions === undefined) return [];
  const parsed =
    typeof conditions === 'string' ? parseFilter(conditions) : readConditions(conditions);
  if (parsed.droppedCount > 0) throw createMalformedError();
  const [first, ...rest] = parsed.conditions;
  return first ? [{ ...first, outside_concat: 'and' }, ...rest] : [];
}

const createMalformedError = () =>
  new AppError('conditions_malformed', {
    errors: { conditions: ['audience:errors.conditions_malformed'] },
  });

export async function compileSelection(
  db: Reader,
  accountId: number,
  order: FrozenSelection,
): Promise<RawBuilder<boolean>> {
  if (order.subscribers) return hasOneOfIds(order.subscribers);
  const context = await readContext(db, accountId, order.conditions, order.asOf);
  const { where, unsupported } = compileConditions(order.conditions, context);
  if (unsupported.length > 0) throw createMalformedError();
  return combinePredicates(
    existedAt(order.asOf),
    combinePredicates(where, searchCondition(order.search)),
  );
}

function addResult(total: BulkCount, sliceResult: BulkCount): void {
  total.count += sliceResult.count;
  for (const [why, count] of Object.entries(sliceResult.skipped)) {
    total.skipped[why] = (total.skipped[why] ?? 0) + count;
  }
}

async function applyAction(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
  action: SubscriberAction,
): Promise<BulkCount> {
  const selection = { subscriberIds };
  switch (action.kind) {
    case 'delete':
      return createResult((await deleteSubscribers(tx, accountId, selection)).length);
    case 'unsubscribe': {
      const { channel, userId } = action;
      return createResult(
        (await unsubscribe(tx, accountId, selection, { channel, userId, reason: 'owner' })).length,
      );
    }
    case 'undo_unsubscribe': {
      const { channel, userId } = action;
      return toReactivationResult(
        await undoUnsubscribe(tx, accountId, selection, { channel, userId }),
      );
    }
    case 'add':
    case 'remove': {
      const change = {
        groupIds: [action.groupId],
        subscriberIds,
        origin: action.origin,
      };
      const move = action.kind === 'add' ? addToGroups : removeFromGroups;
      return createResult(await move(tx, accountId, change));
    }
    case 'set_field': {
      const { fieldId, value } = action;
      const change = { fieldId, value };
      const changedIds = await setFieldValue(tx, accountId, subscriberIds, change, {
        origin: 'bulk',
      });
      return createResult(changedIds.length);
    }
    case 'reactivate': {
      const { channel, userId, consent } = action;
      const reactivation = await reactivate(tx, accountId, selection, {
        channel,
        userId,
        ...(consent ? { consent: { source: 'owner', wording: consent } } : {}),
      });
      return toReactivationResult(reactivation);
    }
  }
}

function toReactivationResult({ reactivated, skipped }: Reactivation): BulkCount {
  const result = createResult(reactivated.length);
  for (const { reason } of skipped) result.skipped[reason] = (result.skipped[reason] ?? 0) + 1;
  return result;
}

const createResult = (count: number): BulkCount => ({ count, skipped: {} });

/**
 * Job that changes the remaining subscribers of a large or interrupted action. If restarted, it
 * continues with the subscribers not changed yet.
 */
export const bulkActJob = defineJob({
  name: 'audience.bulk_act',
  afterKills: 'stop',
  payload: z.object({
    accountId: z.number(),
    subscribers: z.array(z.number()).optional(),
    conditions: z.array(z.unknown()),
    search: z.string().optional(),
    act: BulkActionSchema,
    after: z.number(),
    approved: DeletionApproval.optional(),
    asOf: z.iso.datetime(),
  }),
  run: async (payload, { db, signal }) => {
    const { accountId, act: action, subscribers, search, approved, after } = payload;
    const { conditions } = readConditions(payload.conditions);
    const order = { subscribers, conditions, search, asOf: new Date(payload.asOf) };
    const work = { accountId, order, action, afterId: after, approval: approved?.id, signal };
    if (!approved) return applyToRemaining(db, work);
    const readState = () => readApprovalState(db, accountId, order, approved);
    const stateBefore = await readState();
    if (stateBefore !== 'approved') return endApproved(db, accountId, order, approved, stateBefore);
    try {
      await applyToRemaining(db, work);
    } catch (error) {
      if (!(error instanceof ApprovalExceeded)) throw error;
      const stateAfter = await readState();
      // Deletions since then may have brought the remaining subscribers within the approved number,
      // but this deletion has already stopped.
      const state = stateAfter === 'approved' ? 'exceeded' : stateAfter;
      return endApproved(db, accountId, order, approved, state);
    }
    await endApproved(db, accountId, order, approved, 'done');
  },
});

type RemainingWork = {
  accountId: number;
  order: FrozenSelection;
  action: SubscriberAction;
  /** The action continues with greater ids. */
  afterId: number;
  /** Id of the deletion's approval. */
  approval: number | undefined;
  signal: AbortSignal;
};

/** @throws ApprovalExceeded */
async function applyToRemaining(db: Db, work: RemainingWork): Promise<void> {
  const { accountId, order, action, approval, signal } = work;
  for (let { afterId } = work; ; ) {
    const where = await compileSelection(db, accountId, order);
    const ids = await listSelectedAfter(db, accountId, where, afterId, MAX_BULK_NOW);
    await applyToSlices(db, accountId, ids, action, { signal, approval });
    clearCounts(accountId);
    const lastId = ids.at(-1);
    if (lastId === undefined || ids.length < MAX_BULK_NOW) return;
    afterId = lastId;
  }
}
