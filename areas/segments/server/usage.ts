// What segments are for others: who uses a group or a field, and which people several segments choose.
import { type RawBuilder, sql } from 'kysely';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database.ts';
import type { Condition } from '../limits.ts';
import { compileConditions } from './compile.ts';
import { readContext } from './read-context.ts';
import { findSegments } from './segments.sql.ts';

type User = { kind: string; id: string; title: string };

/** Answers `group.usedBy`: segments with a condition that names the group. */
export async function segmentsUsingGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<User[]> {
  const id = encodeId('group', groupId);
  return segmentsWith(
    tx,
    accountId,
    (one) => one.type === 'tag' && [one.operand, ...one.more].includes(id),
  );
}

/** Answers `field.usedBy`. */
export async function segmentsUsingField(
  tx: Tx,
  { accountId, fieldId }: { accountId: number; fieldId: number },
): Promise<User[]> {
  const id = encodeId('field', fieldId);
  return segmentsWith(tx, accountId, (one) => one.key === id);
}

async function segmentsWith(
  db: Reader,
  accountId: number,
  isUsing: (condition: Condition) => boolean,
): Promise<User[]> {
  const rows = await findSegments(db, accountId);
  return rows
    .filter((row) => row.conditions.some(isUsing))
    .map((row) => ({ kind: 'segment', id: encodeId('segment', row.id), title: row.title }));
}

/** The conditions of these segments as they are now. */
export async function segmentConditions(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Condition[][]> {
  if (ids.length === 0) return [];
  return (await findSegments(db, accountId, ids)).map((row) => row.conditions);
}

/**
 * SQL over a row `s` of subscribers: in one of several segments as of `now`; undefined where there are
 * none. `ifUnknown` is what holds for everybody where a segment names what is gone; `slice` spares
 * reading of more people than are asked about.
 */
export async function inAnyOf(
  db: Reader,
  accountId: number,
  segments: readonly (readonly Condition[])[],
  options: {
    now: Date;
    ifUnknown: boolean;
    slice?: { after: number; upto: number } | undefined;
  },
): Promise<RawBuilder<boolean> | undefined> {
  if (segments.length === 0) return undefined;
  const context = {
    ...(await readContext(db, accountId, segments.flat(), options.now)),
    slice: options.slice,
  };
  const each = segments.map((conditions) => {
    const { where, unsupported } = compileConditions(conditions, context);
    if (unsupported.length > 0 || !where) return sql<boolean>`${sql.lit(options.ifUnknown)}`;
    return where;
  });
  return each.reduce((one, other) => sql<boolean>`(${one} or ${other})`);
}
