// Conditions on custom fields: typed values in one jsonb, by the id of the field.
import { type RawBuilder, sql } from 'kysely';
import { decodeId } from '#platform/ids.ts';
import { toWallTime } from '#platform/server/zoned-time.ts';
import { listBirthdaysFrom } from '../birthdays.ts';
import type { Condition } from '../shared.ts';
import type { CompileContext } from './context.ts';
import {
  type Predicate,
  endOfDay,
  getPeriodStart,
  startOfDay,
  textCondition,
} from './operators.ts';

/**
 * Compiles a condition on a custom field; undefined if the account has no such field of that type.
 */
export function fieldCondition(
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const id = decodeId('field', condition.key);
  const field = id === undefined ? undefined : context.fields.get(id);
  if (!field || field.type !== condition.type) return undefined;
  const key = String(field.id);
  const text = sql`(s.field_values ->> ${key}::text)`;
  if (field.type === 'text') return textCondition(text, condition);
  if (field.type === 'datetime') return wallTimeCondition(text, condition, context);
  if (field.type === 'birthday') return birthdayCondition(text, condition, context);
  return numberCondition(sql`(s.field_values -> ${key}::text)`, condition);
}

/**
 * Numbers are compared as jsonb, because casting each takes twice as long. jsonb sorts text below
 * all numbers, so `less-than` also checks the type. Subscribers without a value match only `blank`
 * and `not-equal`.
 */
function numberCondition(value: RawBuilder<unknown>, condition: Condition): Predicate | undefined {
  const number = (text: string | undefined) => sql`${JSON.stringify(Number(text))}::jsonb`;
  const expected = number(condition.operand);
  switch (condition.operator) {
    case 'equals':
      return sql<boolean>`(${value} is not distinct from ${expected})`;
    case 'not-equal':
      return sql<boolean>`(${value} is distinct from ${expected})`;
    case 'less-than':
      return sql<boolean>`coalesce(${value} < ${expected} and jsonb_typeof(${value}) = 'number', false)`;
    case 'more-than':
      return sql<boolean>`coalesce(${value} > ${expected}, false)`;
    case 'between':
      return sql<boolean>`coalesce(${value} between ${expected} and ${number(condition.more[0])}, false)`;
    case 'blank':
      return sql<boolean>`(${value} is null)`;
    case 'not-blank':
      return sql<boolean>`(${value} is not null)`;
    default:
      return undefined;
  }
}

/**
 * Dates of fields are local time without a zone, stored as YYYY-MM-DD HH:MM:SS: they compare as
 * text.
 */
function wallTimeCondition(
  column: RawBuilder<unknown>,
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const value = sql`(${column} collate "C")`;
  const since = getPeriodStart(condition, context);
  if (since) {
    const from = toWallTime(since, context.timezone);
    const to = toWallTime(context.now, context.timezone);
    return sql<boolean>`(${column} is not null and ${value} between ${from} and ${to})`;
  }
  const { operand } = condition;
  switch (condition.operator) {
    case 'before':
      return sql<boolean>`(${column} is not null and ${value} < ${startOfDay(operand)})`;
    case 'after':
      return sql<boolean>`(${column} is not null and ${value} > ${endOfDay(operand)})`;
    case 'between':
    case 'equals':
      return sql<boolean>`(${column} is not null and ${value} between ${startOfDay(operand)}
        and ${endOfDay(condition.more[0] ?? operand)})`;
    case 'blank':
      return sql<boolean>`(${column} is null)`;
    case 'not-blank':
      return sql<boolean>`(${column} is not null)`;
    default:
      return undefined;
  }
}

/** Birthdays are MM-DD; today's date depends on the account's zone. */
function birthdayCondition(
  value: RawBuilder<unknown>,
  { operator, operand }: Condition,
  { now, timezone }: CompileContext,
): Predicate | undefined {
  const today = toWallTime(now, timezone).slice(0, 10);
  const isAmong = (days: string[]) =>
    sql<boolean>`(${value} is not null and ${value} = any(${days}::text[]))`;
  switch (operator) {
    case 'today':
      return isAmong(listBirthdaysFrom(today, 0));
    case 'days':
      return isAmong(listBirthdaysFrom(today, Number(operand)));
    case 'month':
      return sql<boolean>`(${value} is not null
        and left(${value}, 2) = ${operand.padStart(2, '0')}::text)`;
    case 'blank':
      return sql<boolean>`(${value} is null)`;
    case 'not-blank':
      return sql<boolean>`(${value} is not null)`;
    default:
      return undefined;
  }
}
