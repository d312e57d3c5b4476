// The context of conditions, with a check of PostgreSQL's plan.
//
// After large recent inserts, or for a large account among many small ones, PostgreSQL estimates
// one row. Then it compares every subscriber with every row of another table, which takes minutes
// instead of milliseconds (20,000 subscribers and 23,000 orders: four minutes). The plan shows this
// as a nested loop with a join filter. Such conditions are compiled without joins, which takes
// linear time regardless of the estimate. Since this is up to twice as slow as a hash join, it is
// not the default.
//
// For counts of all subscribers, the plan's estimates also decide whether sets are read as bitmaps.
import { sql } from 'kysely';
import { readAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { type QueryPlan, explainStatement } from '#platform/server/database/query-plan.sql.ts';
import type { Condition } from '../shared.ts';
import { type Gap, findGapsBetween } from './bits.ts';
import { compileConditions } from './compile.ts';
import type { Predicate } from './operators.ts';
import { type CompileContext, gatherContext } from './context.ts';
import { readIdSpan, readRangeStarts } from './segments.sql.ts';

/** Reads what these conditions refer to; `now` is the reference of 'four weeks ago'. */
export async function readContext(
  db: Reader,
  accountId: number,
  conditions: readonly Condition[],
  now = clock.now(),
): Promise<CompileContext> {
  const context = await gatherContext(db, accountId, conditions, now);
  if (conditions.every(isInOwnRow)) return context;
  const { where } = compileConditions(conditions, context);
  if (!where) return context;
  return { ...context, isUnderestimated: await usesNestedLoop(db, accountId, where) };
}

/** Condition types that need only the subscriber's own row. */
const IN_OWN_ROW: ReadonlySet<Condition['type']> = new Set([
  ...(['email', 'phone', 'firstname', 'lastname', 'created', 'unsubscribed_at'] as const),
  ...(['email_status', 'temail_status', 'sms_status', 'tsms_status', 'geolocation_eu'] as const),
  ...(['text', 'number', 'datetime', 'birthday'] as const),
]);

const isInOwnRow = ({ type }: Condition) => IN_OWN_ROW.has(type);

/**
 * Reads the context for counting all matching subscribers, with sets as bitmaps where that is
 * faster: if there are many subscribers, their ids are dense (except for a few wide gaps), and the
 * planner does not expect the query without bitmaps to be much cheaper. It expects this if other
 * conditions leave few subscribers. Otherwise it expects about the same costs, because it does not
 * model the processor's cache.
 */
export async function readCountingContext(
  db: Reader,
  accountId: number,
  conditions: readonly Condition[],
  now = clock.now(),
): Promise<CompileContext> {
  const context = await readContext(db, accountId, conditions, now);
  if (conditions.every(isInOwnRow)) return context;
  const gaps = await findLargeGaps(db, accountId);
  if (!gaps) return context;
  const bitmapContext = { ...context, usesBitmaps: true };
  const plainWhere = compileConditions(conditions, context).where;
  // Estimated without gaps: the planner prices a comparison at a quarter of a whole row, which is
  // too high.
  const bitsWhere = compileConditions(conditions, bitmapContext).where;
  if (!plainWhere || !bitsWhere) return context;
  const { cost } = await readQueryPlan(db, accountId, plainWhere);
  return (await readQueryPlan(db, accountId, bitsWhere)).cost > 2 * cost
    ? context
    : { ...bitmapContext, gaps };
}

/**
 * Minimum size of an account: in smaller ones, counting is faster than choosing the best method.
 */
const MIN_PEOPLE = 20_000;

/** Maximum ids per subscriber: on average, at least four of 64 ids are in use. */
const MAX_IDS_PER_SUBSCRIBER = 16;
/** Each gap costs a comparison per subscriber; a short gap is cheaper to include. */
const MAX_GAPS = 8;
const MIN_GAP = 1024;
/** More index lookups would take longer than they save. */
const MAX_RANGES = 256;

/**
 * Finds the wide gaps in the ids of an account with many subscribers and otherwise dense ids, in
 * order, or undefined for other accounts. If the first and the last id are close, no gaps are
 * searched.
 */
export async function findLargeGaps(
  db: Reader,
  accountId: number,
): Promise<readonly Gap[] | undefined> {
  const { subscriber_count: count } = await readAccount(db, accountId);
  if (count < MIN_PEOPLE) return undefined;
  const maxIds = count * MAX_IDS_PER_SUBSCRIBER;
  const span = await readIdSpan(db, accountId);
  if (span < maxIds) return [];
  const width = Math.ceil(maxIds / MAX_RANGES / 64) * 64;
  const starts = await readRangeStarts(db, accountId, width, MAX_RANGES + 1);
  if (starts.length > MAX_RANGES) return undefined;
  const gaps = findGapsBetween(starts, width, { min: MIN_GAP, max: MAX_GAPS });
  const unusedIds = gaps.reduce((ids, { from, until }) => ids + (until - from) * 64, 0);
  return span - unusedIds < maxIds ? gaps : undefined;
}

/** Returns whether PostgreSQL would use a nested loop with a join filter. */
export async function usesNestedLoop(
  db: Reader,
  accountId: number,
  where: Predicate,
): Promise<boolean> {
  return (await readQueryPlan(db, accountId, where)).isFilteredLoop;
}

async function readQueryPlan(db: Reader, accountId: number, where: Predicate) {
  const plan = await explainStatement(
    db,
    sql`select count(*) from subscribers s
      where s.account_id = ${accountId} and s.deleted_at is null and ${where}`,
  );
  return {
    cost: plan?.['Total Cost'] ?? 0,
    isFilteredLoop: plan !== undefined && hasFilteredLoop(plan),
  };
}

function hasFilteredLoop(plan: QueryPlan): boolean {
  if (plan['Node Type'] === 'Nested Loop' && plan['Join Filter']) return true;
  return (plan.Plans ?? []).some(hasFilteredLoop);
}
