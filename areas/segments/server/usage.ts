// Segments for other areas: segments that use a group, a field or an event, broken segments, and
// the conditions and subscribers of several segments.
import { type RawBuilder, sql } from 'kysely';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { Condition } from '../shared.ts';
import { compileConditions } from './compile.ts';
import { gatherContext } from './context.ts';
import { usesNestedLoop } from './read-context.ts';
import { findSegments } from './segments.sql.ts';

type SegmentUse = { kind: string; id: string; title: string };

/** Handles the `group.usedBy` query: segments with a condition on the group. */
export async function findSegmentsUsingGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<SegmentUse[]> {
  return findSegmentUses(tx, accountId, namesGroup(groupId));
}

/** Handles the `field.usedBy` query. */
export async function findSegmentsUsingField(
  tx: Tx,
  { accountId, fieldId }: { accountId: number; fieldId: number },
): Promise<SegmentUse[]> {
  return findSegmentUses(tx, accountId, namesField(fieldId));
}

/** Handles the `custom_event.usedBy` query. */
export async function findSegmentsUsingEvent(
  tx: Tx,
  { accountId, eventId }: { accountId: number; eventId: number },
): Promise<SegmentUse[]> {
  return findSegmentUses(tx, accountId, namesEvent(eventId));
}

export function namesGroup(groupId: number): (condition: Condition) => boolean {
  const id = encodeId('group', groupId);
  return (condition) =>
    condition.type === 'tag' && [condition.operand, ...condition.more].includes(id);
}

export function namesEvent(eventId: number): (condition: Condition) => boolean {
  const id = encodeId('custom_event', eventId);
  return (condition) => condition.key === id;
}

export function namesField(fieldId: number): (condition: Condition) => boolean {
  const id = encodeId('field', fieldId);
  return (condition) => condition.key === id;
}

async function findSegmentUses(
  db: Reader,
  accountId: number,
  isUsing: (condition: Condition) => boolean,
): Promise<SegmentUse[]> {
  const rows = await findSegments(db, accountId);
  return rows
    .filter((row) => row.conditions.some(isUsing))
    .map((row) => ({ kind: 'segment', id: encodeId('segment', row.id), title: row.title }));
}

/** Returns the given segments that have missing references. */
export async function filterBrokenSegments(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<{ id: number; title: string }[]> {
  if (ids.length === 0) return [];
  const rows = await findSegments(db, accountId, ids);
  const all = rows.flatMap((row) => row.conditions);
  const context = await gatherContext(db, accountId, all, clock.now());
  return rows.filter((row) => compileConditions(row.conditions, context).unsupported.length > 0);
}

/** Returns those of the IDs that belong to segments of the account. */
export async function findSegmentsAmong(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<number[]> {
  if (ids.length === 0) return [];
  return (await findSegments(db, accountId, ids)).map((row) => row.id);
}

/** Returns the current conditions of these segments. */
export async function readSegmentConditions(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Condition[][]> {
  if (ids.length === 0) return [];
  return (await findSegments(db, accountId, ids)).map((row) => row.conditions);
}

/**
 * Returns an SQL condition on a row `s` of subscribers: the subscriber is in one of these segments
 * as of `now`. Returns undefined without segments. A segment that has a missing reference, or no
 * conditions, contains all subscribers if `matchesAllIfUnknown` is true, and none otherwise.
 * `slice` is the range of subscriber IDs to which the caller applies the condition, so that data of
 * other subscribers need not be read.
 */
export async function compileAnyOf(
  db: Reader,
  accountId: number,
  segments: readonly (readonly Condition[])[],
  options: {
    now: Date;
    matchesAllIfUnknown: boolean;
    slice?: { after: number; lastId: number } | undefined;
  },
): Promise<RawBuilder<boolean> | undefined> {
  if (segments.length === 0) return undefined;
  const { now, matchesAllIfUnknown, slice } = options;
  const baseContext = await gatherContext(db, accountId, segments.flat(), now);
  const buildPredicate = (isUnderestimated: boolean) => {
    const context = { ...baseContext, slice, isUnderestimated };
    return segments
      .map((conditions) => {
        const { where, unsupported } = compileConditions(conditions, context);
        const isKnown = where !== undefined && unsupported.length === 0;
        return isKnown ? where : sql<boolean>`${sql.lit(matchesAllIfUnknown)}`;
      })
      .reduce((condition, other) => sql<boolean>`(${condition} or ${other})`);
  };
  const where = buildPredicate(false);
  return (await usesNestedLoop(db, accountId, where)) ? buildPredicate(true) : where;
}
