// The SQL of operators, for any column.

import { type RawBuilder, sql } from 'kysely';
import { escapeLike } from '#platform/server/database/like.ts';
import { wallTimeToInstant, toWallTime } from '#platform/server/zoned-time.ts';
import type { Condition } from '../shared.ts';
import { isAmong } from './bits.ts';
import type { CompileContext } from './context.ts';

export type Predicate = RawBuilder<boolean>;
type Expression = RawBuilder<unknown>;

type ActivityTableName =
  | 'activity'
  | 'events'
  | 'group_members'
  | 'outcomes'
  | 'sms_clicks'
  | Custom
  | Shop;
type Custom = 'event_people' | 'event_occurrences';
type Shop = 'order_products' | 'orders' | 'shop_visits' | 'shoppers';

/** Returns whether the table has a matching row `x` of the subscriber `s`. */
export function existsIn(
  table: ActivityTableName,
  context: CompileContext,
  where: Expression,
): Predicate {
  const { accountId, slice, isUnderestimated, gaps } = context;
  if (context.usesBitmaps) return isAmong(allSubscribersIn(table, context, where), accountId, gaps);
  const inSlice = slice
    ? sql`and x.subscriber_id > ${slice.after} and x.subscriber_id <= ${slice.lastId}`
    : sql``;
  const exists = sql<boolean>`(exists (select 1 from ${sql.table(table)} x
    where x.account_id = ${accountId} and x.subscriber_id = s.id ${inSlice} and ${where}))`;
  // PostgreSQL cannot turn `exists (…) is true` into a join, which would be a slow nested loop
  // here.
  return isUnderestimated ? sql<boolean>`(${exists} is true)` : exists;
}

/** Returns all subscribers with such a row `x`, as a select of `subscriber_id`. */
const allSubscribersIn = (
  table: ActivityTableName,
  { accountId }: CompileContext,
  where: Expression,
) =>
  sql`select x.subscriber_id from ${sql.table(table)} x
    where x.account_id = ${accountId} and ${where}`;

/** Compares a text case-insensitively; a missing value is treated as empty. */
export function textCondition(column: Expression, condition: Condition): Predicate | undefined {
  return compare(sql`lower(coalesce(${column}, ''))`, condition);
}

/**
 * Compares the key of an address, which is in lower case, or null if there is no address. Operators
 * that require a value compare the column itself, so that its index applies.
 */
export function keyCondition(column: string, condition: Condition): Predicate | undefined {
  if (condition.operator === 'blank') return sql<boolean>`(${sql.ref(column)} is null)`;
  if (condition.operator === 'not-blank') return sql<boolean>`(${sql.ref(column)} is not null)`;
  const isPositive = NEEDS_VALUE.has(condition.operator) && condition.operand !== '';
  if (!isPositive) return textCondition(sql.ref(column), condition);
  const predicate = compare(sql.ref(column), condition);
  return predicate && sql<boolean>`(${sql.ref(column)} is not null and ${predicate})`;
}

const NEEDS_VALUE: ReadonlySet<string> = new Set(['equals', 'in', 'begins', 'ends', 'includes']);

function compare(text: Expression, condition: Condition): Predicate | undefined {
  const value = condition.operand;
  const lowercase = (term: string) => sql`lower(${term}::text)`;
  const values = sql.join([condition.operand, ...condition.more].map(lowercase));
  switch (condition.operator) {
    case 'begins':
      return sql<boolean>`(${text} like ${lowercase(`${escapeLike(value)}%`)})`;
    case 'ends':
      return sql<boolean>`(${text} like ${lowercase(`%${escapeLike(value)}`)})`;
    case 'includes':
      return sql<boolean>`(${text} like ${lowercase(`%${escapeLike(value)}%`)})`;
    case 'not-include':
      return sql<boolean>`(${text} not like ${lowercase(`%${escapeLike(value)}%`)})`;
    case 'equals':
      return sql<boolean>`(${text} = ${lowercase(value)})`;
    case 'not-equal':
      return sql<boolean>`(${text} <> ${lowercase(value)})`;
    case 'in':
      return sql<boolean>`(${text} = any(array[${values}]))`;
    case 'not-in':
      return sql<boolean>`(${text} <> all(array[${values}]))`;
    case 'blank':
      return sql<boolean>`(${text} = '')`;
    case 'not-blank':
      return sql<boolean>`(${text} <> '')`;
    default:
      return undefined;
  }
}

/** Compares a column or expression of numbers that is never null. */
export function compareNumber(column: Expression, condition: Condition): Predicate | undefined {
  const value = numberAsIs(condition.operand);
  switch (condition.operator) {
    case 'equals':
      return sql<boolean>`(${column} = ${value})`;
    case 'not-equal':
      return sql<boolean>`(${column} <> ${value})`;
    case 'less-than':
      return sql<boolean>`(${column} < ${value})`;
    case 'more-than':
      return sql<boolean>`(${column} > ${value})`;
    case 'between':
      return sql<boolean>`(${column} between ${value} and ${numberAsIs(condition.more[0])})`;
    default:
      return undefined;
  }
}

/** Whole numbers are passed as integers; otherwise a column of counts would be cast row by row. */
function numberAsIs(text: string | undefined): Expression {
  const number = Number(text);
  return Number.isSafeInteger(number) ? sql`${number}::bigint` : sql`${number}::numeric`;
}

/** Returns whether a number matches the condition. */
export function numberMatches(number: number, condition: Condition): boolean {
  const value = Number(condition.operand);
  switch (condition.operator) {
    case 'equals':
      return number === value;
    case 'not-equal':
      return number !== value;
    case 'less-than':
      return number < value;
    case 'more-than':
      return number > value;
    default:
      return number >= value && number <= Number(condition.more[0]);
  }
}

/**
 * Returns the start of a period that ends now, for the operators `weeks` and `months`; undefined
 * for other operators. Months are calendar months in the account's zone. If the first month does
 * not have today's day, the period starts on the last day of that month.
 */
export function getPeriodStart(
  condition: Condition,
  { now, timezone }: { now: Date; timezone: string },
): Date | undefined {
  const count = Number(condition.operand);
  if (condition.operator === 'weeks') return new Date(now.getTime() - count * 7 * 86_400_000);
  if (condition.operator !== 'months') return undefined;
  const wallTime = toWallTime(now, timezone);
  const [year = 0, month = 0, day = 0] = wallTime.slice(0, 10).split('-').map(Number);
  const days = new Date(Date.UTC(year, month - count, 0)).getUTCDate();
  const since = new Date(Date.UTC(year, month - 1 - count, Math.min(day, days)));
  return wallTimeToInstant(`${since.toISOString().slice(0, 10)}${wallTime.slice(10)}`, timezone);
}

/** Return a date with the first or last second of the day; a text with a time stays unchanged. */
export const startOfDay = (text: string) => (text.length === 10 ? `${text} 00:00:00` : text);
export const endOfDay = (text: string) => (text.length === 10 ? `${text} 23:59:59` : text);

/**
 * Returns the range of a condition's days in the account's zone: from the first second of the first
 * day to the end of the last second of the last day, which may be the same day.
 */
export function getDateRange(
  { operand, more }: Condition,
  { timezone }: { timezone: string },
): { from: Expression; until: Expression } {
  const instant = (wallTime: string) => sql`(${wallTime}::timestamp at time zone ${timezone})`;
  const last = instant(endOfDay(more[0] ?? operand));
  // The second is added in UTC, because the result of an addition in the session's zone depends on
  // a setting. Without that dependency, PostgreSQL computes the time before planning and skips the
  // partitions of other months.
  const until = sql`((${last} at time zone 'UTC' + interval '1 second') at time zone 'UTC')`;
  return { from: instant(startOfDay(operand)), until };
}

/** Compares a column of instants with dates in the account's zone. */
export function isWithin(
  column: Expression,
  condition: Condition,
  context: { now: Date; timezone: string },
): Predicate | undefined {
  const since = getPeriodStart(condition, context);
  if (since) return sql<boolean>`(${column} is not null and ${column} >= ${since})`;
  const { from, until } = getDateRange(condition, context);
  switch (condition.operator) {
    case 'before':
      return sql<boolean>`(${column} is not null and ${column} < ${from})`;
    case 'after':
      return sql<boolean>`(${column} is not null and ${column} >= ${until})`;
    case 'between':
      return sql<boolean>`(${column} is not null and ${column} >= ${from} and ${column} < ${until})`;
    case 'blank':
      return sql<boolean>`(${column} is null)`;
    case 'not-blank':
      return sql<boolean>`(${column} is not null)`;
    default:
      return undefined;
  }
}
