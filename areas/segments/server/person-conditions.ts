// Conditions on the subscriber's own row, and on groups.
import { sql } from 'kysely';
import type { Condition } from '../shared.ts';
import { type CompileContext, decodeExistingIds } from './context.ts';
import { type Predicate, existsIn } from './operators.ts';

export function tagCondition(condition: Condition, context: CompileContext): Predicate | undefined {
  const ids = decodeExistingIds(condition, 'group', context.groups);
  if (!ids) return undefined;
  const isIn = existsIn('group_members', context, sql`x.group_id = any(${ids}::bigint[])`);
  return condition.operator === 'have' ? isIn : sql<boolean>`(not ${isIn})`;
}

type StatusColumn = 'email_status' | 'temail_status' | 'sms_status' | 'tsms_status';

export function statusCondition(column: StatusColumn, condition: Condition): Predicate {
  const values = [condition.operand, ...condition.more];
  const isOne = sql<boolean>`(${sql.ref(`s.${column}`)} = any(${values}::subscription_status[]))`;
  const isNegative = condition.operator === 'not-is' || condition.operator === 'not-in';
  return isNegative ? sql<boolean>`(not ${isOne})` : isOne;
}

/** ISO 3166-1 codes of the European Union's members. */
const EU = [
  ...['AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU'],
  ...['IE', 'IT', 'LT', 'LU', 'LV', 'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK'],
];

/** Subscribers with an unknown country are treated as outside the European Union. */
export function euCondition({ operator }: Condition): Predicate {
  return operator === 'is'
    ? sql<boolean>`(s.country is not null and s.country = any(${EU}::text[]))`
    : sql<boolean>`(s.country is null or s.country <> all(${EU}::text[]))`;
}
