// The context of conditions, with a look at how PostgreSQL would answer them.
//
// Where much came in a moment ago, or an account is large among many small ones, its estimates say: one
// row. Then it compares every person with every row of another table, which takes minutes instead of
// milliseconds (20,000 people and 23,000 orders: four minutes). The plan tells: a nested loop with a join
// filter. Such conditions are compiled so that they are no joins: linear at any estimate, but up to twice
// as slow as a hash join, so it is not the rule.
//
// Where everybody is counted its estimates also tell whether sets of people are read as bits.
import { sql } from 'kysely';
import { readAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database.ts';
import { type QueryPlan, queryPlanOf } from '#platform/server/query-plan.sql.ts';
import type { Condition } from '../limits.ts';
import { type Gap, gapsBetween } from './bits.ts';
import { compileConditions, type Predicate } from './compile.ts';
import { type CompileContext, gatherContext } from './context.ts';
import { readIdSpan, readStretches } from './segments.sql.ts';

/** Reads what these conditions refer to; `now` decides what 'four weeks ago' means. */
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
  return { ...context, isUnderestimated: await comparesEachWithEach(db, accountId, where) };
}

/** Answered by the person's row alone. */
const IN_OWN_ROW: ReadonlySet<Condition['type']> = new Set([
  ...(['email', 'phone', 'firstname', 'lastname', 'created', 'unsubscribed_at'] as const),
  ...(['email_status', 'temail_status', 'sms_status', 'tsms_status', 'geolocation_eu'] as const),
  ...(['text', 'number', 'datetime', 'birthday'] as const),
]);

const isInOwnRow = ({ type }: Condition) => IN_OWN_ROW.has(type);

/**
 * The same for counting everybody whom the conditions choose, with sets of people as bits where that is
 * quicker: where people are many, their ids stand close enough (but for a few wide gaps), and the planner
 * does not find the other way much cheaper. It would, where other conditions leave a few; else it takes
 * both for about the same, for it knows nothing of a processor's memory.
 */
export async function countingContext(
  db: Reader,
  accountId: number,
  conditions: readonly Condition[],
  now = clock.now(),
): Promise<CompileContext> {
  const context = await readContext(db, accountId, conditions, now);
  if (context.isUnderestimated || conditions.every(isInOwnRow)) return context;
  const gaps = await gapsOfMany(db, accountId);
  if (!gaps) return context;
  const asBits = { ...context, asBits: true };
  const plain = compileConditions(conditions, context).where;
  // Weighed without gaps: the planner takes a comparison for a quarter of a whole row, which it is not.
  const bits = compileConditions(conditions, asBits).where;
  if (!plain || !bits) return context;
  const { cost } = await planOf(db, accountId, plain);
  return (await planOf(db, accountId, bits)).cost > 2 * cost ? context : { ...asBits, gaps };
}

/** Fewer are counted before it is found out how best. */
const LEAST_PEOPLE = 20_000;

/** At least four ids of sixty-four are taken. */
const IDS_EACH = 16;
/** Each gap is a comparison for each person; a short one costs less where it is kept. */
const GAPS_MOST = 8;
const GAP_LEAST = 1024;
/** More looks at where people stand would take longer than they spare. */
const STRETCHES = 256;

/**
 * The gaps in the ids of an account whose people are many and stand close enough beside them, whatever
 * their order; undefined for any other. Where the first and the last are close there is none to look for.
 */
async function gapsOfMany(db: Reader, accountId: number): Promise<readonly Gap[] | undefined> {
  const { subscriber_count: count } = await readAccount(db, accountId);
  if (count < LEAST_PEOPLE) return undefined;
  const most = count * IDS_EACH;
  const span = await readIdSpan(db, accountId);
  if (span < most) return [];
  const width = Math.ceil(most / STRETCHES / 64) * 64;
  const stretches = await readStretches(db, accountId, width, STRETCHES + 1);
  if (stretches.length > STRETCHES) return undefined;
  const gaps = gapsBetween(stretches, width, { least: GAP_LEAST, most: GAPS_MOST });
  const left = gaps.reduce((ids, { from, until }) => ids + (until - from) * 64, 0);
  return span - left < most ? gaps : undefined;
}

/** Whether PostgreSQL would answer by a nested loop with a join filter. */
export async function comparesEachWithEach(
  db: Reader,
  accountId: number,
  where: Predicate,
): Promise<boolean> {
  return (await planOf(db, accountId, where)).isFilteredLoop;
}

async function planOf(db: Reader, accountId: number, where: Predicate) {
  const plan = await queryPlanOf(
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
