// Acts on many people at once: chosen by name or by conditions, done slice by slice. What is beyond a
// call's measure goes on in the background, from where the call stopped.
import { z } from 'zod';
import { addToGroups, removeFromGroups, requireGroups } from '#areas/groups/server/index.ts';
import { parseFilter, readConditions } from '#areas/segments/filter-grammar.ts';
import type { Condition } from '#areas/segments/limits.ts';
import { compileConditions, readContext } from '#areas/segments/server/index.ts';
import { type Channel, CHANNELS } from '#areas/subscribers/limits.ts';
import {
  deleteSubscribers,
  reactivate,
  searchCondition,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { afterCommit, inTransaction, type Reader, type Tx } from '#platform/server/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import { addJob, defineJob, JobInterrupted } from '#platform/server/jobs.ts';
import type { Bulk } from '../contract.ts';
import { BULK_NOW_MOST } from '../limits.ts';
import { forgetCounts } from './list.ts';
import { both, idsAfter, wasThereAt, type Where } from './list.sql.ts';

const SLICE = 10_000;

const Act = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('delete') }),
  z.object({ kind: z.literal('unsubscribe'), channel: z.enum(CHANNELS), userId: z.number() }),
  z.object({
    kind: z.literal('reactivate'),
    channel: z.enum(CHANNELS),
    userId: z.number(),
    consent: z.string().optional(),
  }),
  z.object({
    kind: z.enum(['add', 'remove']),
    groupId: z.number(),
    triggerAutomation: z.boolean(),
  }),
]);
export type BulkAct = z.infer<typeof Act>;

export type Selection = {
  subscribers?: number[] | undefined;
  conditions?: string | unknown[] | undefined;
  search?: string | undefined;
  all?: true | undefined;
};

type Result = { count: number; skipped: Record<string, number> };

/** The channel of a body: `channel`, or `channel_status` as clients of the public API write it. */
export function channelOf(body: { channel?: Channel; channel_status?: string }): Channel {
  const word = body.channel ?? body.channel_status?.toLowerCase() ?? 'email';
  const channel = CHANNELS.find((one) => one === word);
  if (!channel) throw invalid({ channel_status: ['errors.fields.choice'] });
  return channel;
}

/** 422 where nobody is chosen or a condition is malformed: then nobody is touched. */
export async function actOnMany(
  tx: Tx,
  accountId: number,
  selection: Selection,
  act: BulkAct,
): Promise<Bulk> {
  if (act.kind === 'add' || act.kind === 'remove')
    await requireGroups(tx, accountId, [act.groupId]);
  afterCommit(() => forgetCounts(accountId));
  if (selection.subscribers) {
    const result = await actOn(tx, accountId, selection.subscribers, act);
    return { success: true, ...result, queued: false };
  }
  const conditions = conditionsOf(selection);
  const search = selection.search?.trim() || undefined;
  if (conditions.length === 0 && !search && !selection.all) throw new AppError('nobody_chosen');
  const asOf = clock.now();
  const where = await whereOf(tx, accountId, { conditions, search, asOf });
  const { result, last } = await actOnNext(tx, accountId, where, 0, act);
  if (last === undefined) return { success: true, ...result, queued: false };
  const rest = { accountId, conditions, search, act, after: last, asOf: asOf.toISOString() };
  await addJob(tx, bulkActJob, rest);
  return { success: true, ...result, queued: true };
}

/** Acts on the next hundred thousand, chosen at once; `last` is where the rest begins, if there is one. */
async function actOnNext(
  tx: Tx,
  accountId: number,
  where: Where,
  after: number,
  act: BulkAct,
): Promise<{ result: Result; last: number | undefined }> {
  const ids = await idsAfter(tx, accountId, where, after, BULK_NOW_MOST);
  const result: Result = { count: 0, skipped: {} };
  for (let from = 0; from < ids.length; from += SLICE) {
    addUp(result, await actOn(tx, accountId, ids.slice(from, from + SLICE), act));
  }
  return { result, last: ids.length < BULK_NOW_MOST ? undefined : ids.at(-1) };
}

/** All conditions, or 422: a condition left out would widen the choice, in the end to everybody. */
function conditionsOf(selection: Selection): Condition[] {
  const { conditions } = selection;
  if (conditions === undefined) return [];
  const read =
    typeof conditions === 'string' ? parseFilter(conditions) : readConditions(conditions);
  if (read.dropped > 0) throw malformed();
  const [first, ...rest] = read.conditions;
  return first ? [{ ...first, outside_concat: 'and' }, ...rest] : [];
}

const malformed = () =>
  new AppError('conditions_malformed', {
    errors: { conditions: ['audience:errors.conditions_malformed'] },
  });

async function whereOf(
  db: Reader,
  accountId: number,
  wish: { conditions: readonly Condition[]; search?: string | undefined; asOf: Date },
): Promise<Where> {
  const context = await readContext(db, accountId, wish.conditions, wish.asOf);
  const { where, unsupported } = compileConditions(wish.conditions, context);
  if (unsupported.length > 0) throw malformed();
  // Who is added meanwhile was not chosen.
  return both(wasThereAt(wish.asOf), both(where, searchCondition(wish.search)));
}

function addUp(total: Result, more: Result): void {
  total.count += more.count;
  for (const [why, count] of Object.entries(more.skipped)) {
    total.skipped[why] = (total.skipped[why] ?? 0) + count;
  }
}

async function actOn(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
  act: BulkAct,
): Promise<Result> {
  const people = { subscriberIds };
  switch (act.kind) {
    case 'delete':
      return done((await deleteSubscribers(tx, accountId, people)).length);
    case 'unsubscribe': {
      const { channel, userId } = act;
      return done(
        (await unsubscribe(tx, accountId, people, { channel, userId, reason: 'owner' })).length,
      );
    }
    case 'add':
    case 'remove': {
      const change = {
        groupIds: [act.groupId],
        subscriberIds,
        triggerAutomation: act.triggerAutomation,
      };
      const move = act.kind === 'add' ? addToGroups : removeFromGroups;
      return done(await move(tx, accountId, change));
    }
    case 'reactivate': {
      const { channel, userId, consent } = act;
      const back = await reactivate(tx, accountId, people, {
        channel,
        userId,
        ...(consent ? { consent: { source: 'owner', wording: consent } } : {}),
      });
      const result = done(back.reactivated.length);
      for (const { why } of back.skipped) result.skipped[why] = (result.skipped[why] ?? 0) + 1;
      return result;
    }
  }
}

const done = (count: number): Result => ({ count, skipped: {} });

/** The rest of a large act, each hundred thousand in a transaction of its own; a kill begins again where it was. */
export const bulkActJob = defineJob({
  name: 'audience.bulk_act',
  payload: z.object({
    accountId: z.number(),
    conditions: z.array(z.unknown()),
    search: z.string().optional(),
    act: Act,
    after: z.number(),
    asOf: z.iso.datetime(),
  }),
  run: async (payload, { db, signal }) => {
    const { accountId, act } = payload;
    let after: number | undefined = payload.after;
    while (after !== undefined) {
      if (signal.aborted) throw new JobInterrupted();
      const from: number = after;
      after = await inTransaction(db, async (tx) => {
        const { conditions } = readConditions(payload.conditions);
        const asOf = new Date(payload.asOf);
        const where = await whereOf(tx, accountId, { conditions, search: payload.search, asOf });
        return (await actOnNext(tx, accountId, where, from, act)).last;
      });
      forgetCounts(accountId);
    }
  },
});
