// What operators mean in SQL, for any column.
import { type RawBuilder, sql } from 'kysely';
import type { Condition } from '../limits.ts';

type Predicate = RawBuilder<boolean>;
type Expression = RawBuilder<unknown>;

const escaped = (text: string) => text.replace(/[\\%_]/g, '\\$&');

/** Text is compared without case; who has no value equals nothing and includes nothing. */
export function textCondition(column: Expression, condition: Condition): Predicate | undefined {
  const value = condition.operand.toLowerCase();
  const text = sql`lower(coalesce(${column}, ''))`;
  const values = [condition.operand, ...condition.more].map((one) => one.toLowerCase());
  switch (condition.operator) {
    case 'begins':
      return sql<boolean>`(${text} like ${`${escaped(value)}%`})`;
    case 'ends':
      return sql<boolean>`(${text} like ${`%${escaped(value)}`})`;
    case 'includes':
      return sql<boolean>`(${text} like ${`%${escaped(value)}%`})`;
    case 'not-include':
      return sql<boolean>`(${text} not like ${`%${escaped(value)}%`})`;
    case 'equals':
      return sql<boolean>`(${text} = ${value})`;
    case 'not-equal':
      return sql<boolean>`(${text} <> ${value})`;
    case 'in':
      return sql<boolean>`(${text} = any(${values}::text[]))`;
    case 'not-in':
      return sql<boolean>`(${text} <> all(${values}::text[]))`;
    case 'blank':
      return sql<boolean>`(${text} = '')`;
    case 'not-blank':
      return sql<boolean>`(${text} <> '')`;
    default:
      return undefined;
  }
}

/** Who has no number satisfies none of these but blank and not-equal. */
export function numberCondition(column: Expression, condition: Condition): Predicate | undefined {
  const value = Number(condition.operand);
  switch (condition.operator) {
    case 'equals':
      return sql<boolean>`(${column} is not null and ${column} = ${value}::numeric)`;
    case 'not-equal':
      return sql<boolean>`(${column} is distinct from ${value}::numeric)`;
    case 'less-than':
      return sql<boolean>`(${column} is not null and ${column} < ${value}::numeric)`;
    case 'more-than':
      return sql<boolean>`(${column} is not null and ${column} > ${value}::numeric)`;
    case 'between':
      return sql<boolean>`(${column} is not null and ${column}
        between ${value}::numeric and ${Number(condition.more[0])}::numeric)`;
    case 'blank':
      return sql<boolean>`(${column} is null)`;
    case 'not-blank':
      return sql<boolean>`(${column} is not null)`;
    default:
      return undefined;
  }
}

/** The instant so many weeks or calendar months ago. */
export function sinceOf(condition: Condition, now: Date): Date | undefined {
  const count = Number(condition.operand);
  if (condition.operator === 'weeks') return new Date(now.getTime() - count * 7 * 86_400_000);
  if (condition.operator !== 'months') return undefined;
  const since = new Date(now);
  since.setUTCDate(1);
  since.setUTCMonth(since.getUTCMonth() - count);
  const days = new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth() + 1, 0)).getUTCDate();
  since.setUTCDate(Math.min(now.getUTCDate(), days));
  return since;
}

/** A day's first and last second; a text with a time is both. */
export const startOf = (text: string) => (text.length === 10 ? `${text} 00:00:00` : text);
export const endOf = (text: string) => (text.length === 10 ? `${text} 23:59:59` : text);

/** A column of instants against dates in the account's zone. */
export function isWithin(
  column: Expression,
  condition: Condition,
  context: { now: Date; timezone: string },
): Predicate | undefined {
  const instant = (wall: string) => sql`(${wall}::timestamp at time zone ${context.timezone})`;
  const since = sinceOf(condition, context.now);
  if (since) return sql<boolean>`(${column} is not null and ${column} >= ${since})`;
  switch (condition.operator) {
    case 'before':
      return sql<boolean>`(${column} is not null and ${column} < ${instant(startOf(condition.operand))})`;
    case 'after':
      return sql<boolean>`(${column} is not null
        and ${column} >= ${instant(endOf(condition.operand))} + interval '1 second')`;
    case 'between':
      return sql<boolean>`(${column} is not null and ${column} >= ${instant(startOf(condition.operand))}
        and ${column} < ${instant(endOf(condition.more[0] ?? ''))} + interval '1 second')`;
    case 'blank':
      return sql<boolean>`(${column} is null)`;
    case 'not-blank':
      return sql<boolean>`(${column} is not null)`;
    default:
      return undefined;
  }
}
