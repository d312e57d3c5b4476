// Conditions → one boolean SQL expression over a row `s` of subscribers: the same for the list, its
// count, bulk acts, recipients and workflow conditions. Each family of conditions has its own function
// here or beside it; a type without one is `unsupported`, which lists ignore and bulk acts refuse.
import { type RawBuilder, sql } from 'kysely';
import { type FieldFacts, readFields } from '#areas/fields/server/index.ts';
import { groupTitles, isInGroups } from '#areas/groups/server/index.ts';
import { readAccount } from '#areas/accounts/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database.ts';
import type { Condition } from '../limits.ts';
import { fieldCondition } from './field-conditions.ts';
import { isWithin, sinceOf, textCondition } from './operators.ts';

type Predicate = RawBuilder<boolean>;

/** All that conditions refer to, read once: nothing is looked up while compiling. */
export type CompileContext = {
  accountId: number;
  timezone: string;
  now: Date;
  fields: ReadonlyMap<number, FieldFacts>;
  groups: ReadonlySet<number>;
};

export type Compiled = {
  /** Undefined where no condition is left: everybody. */
  where: Predicate | undefined;
  /** Conditions whose type nothing answers yet, or that name what is not there. */
  unsupported: Condition[];
};

/** Reads what these conditions refer to; `now` decides what 'four weeks ago' means. */
export async function readContext(
  db: Reader,
  accountId: number,
  conditions: readonly Condition[],
  now = clock.now(),
): Promise<CompileContext> {
  const account = await readAccount(db, accountId);
  const fields = conditions.some((one) => one.key !== '') ? await readFields(db, accountId) : [];
  const groupIds = conditions.filter((one) => one.type === 'tag').flatMap(groupIdsOf);
  const groups = await groupTitles(db, accountId, groupIds);
  return {
    accountId,
    timezone: account.timezone,
    now,
    fields: new Map(fields.map((field) => [field.id, field])),
    groups: new Set(groups.keys()),
  };
}

/**
 * Joins within a group by `inside_concat`, then group to group by each group's first `outside_concat`,
 * left to right; groups stand in the order in which they first appear.
 */
export function compileConditions(
  conditions: readonly Condition[],
  context: CompileContext,
): Compiled {
  const unsupported: Condition[] = [];
  const groups = new Map<number, { outside: 'and' | 'or'; where: Predicate }>();
  for (const condition of conditions) {
    const predicate = predicateOf(condition, context);
    if (!predicate) {
      unsupported.push(condition);
      continue;
    }
    const before = groups.get(condition.group);
    if (before) before.where = join(before.where, condition.inside_concat, predicate);
    else groups.set(condition.group, { outside: condition.outside_concat, where: predicate });
  }
  let where: Predicate | undefined;
  for (const group of groups.values()) {
    where = where ? join(where, group.outside, group.where) : group.where;
  }
  return { where, unsupported };
}

const join = (one: Predicate, concat: 'and' | 'or', other: Predicate): Predicate =>
  concat === 'and' ? sql<boolean>`(${one} and ${other})` : sql<boolean>`(${one} or ${other})`;

const STATUS_COLUMNS = {
  email_status: 's.email_status',
  temail_status: 's.temail_status',
  sms_status: 's.sms_status',
  tsms_status: 's.tsms_status',
} as const;

function predicateOf(condition: Condition, context: CompileContext): Predicate | undefined {
  switch (condition.type) {
    case 'tag':
      return tagCondition(condition, context);
    case 'email_status':
    case 'temail_status':
    case 'sms_status':
    case 'tsms_status':
      return statusCondition(STATUS_COLUMNS[condition.type], condition);
    case 'firstname':
    case 'lastname':
      return textCondition(sql.ref(`s.${condition.type}`), condition);
    case 'email':
      return textCondition(sql.ref('s.email_key'), condition);
    case 'phone':
      return textCondition(sql.ref('s.phone_key'), withPlainNumber(condition));
    case 'created':
      return isWithin(sql.ref('s.created_at'), condition, context);
    case 'unsubscribed_at':
      return isWithin(sql.ref('s.unsubscribed_at'), condition, context);
    case 'open':
    case 'not-open':
      return activityCondition('last_human_open_at', condition, context);
    case 'click':
    case 'not-click':
      return activityCondition('last_human_click_at', condition, context);
    case 'not_active_subscribers':
      return inactivityCondition(condition, context);
    case 'text':
    case 'number':
    case 'datetime':
      return fieldCondition(condition, context);
    default:
      return undefined;
  }
}

const groupIdsOf = (condition: Condition): number[] =>
  [condition.operand, ...condition.more]
    .map((id) => decodeId('group', id))
    .filter((id) => id !== undefined);

function tagCondition(condition: Condition, context: CompileContext): Predicate | undefined {
  const ids = groupIdsOf(condition);
  const isKnown =
    ids.length === condition.more.length + 1 && ids.every((id) => context.groups.has(id));
  if (!isKnown) return undefined;
  const isIn = isInGroups('s.id', context.accountId, ids);
  return condition.operator === 'have' ? isIn : sql<boolean>`(not ${isIn})`;
}

function statusCondition(column: string, condition: Condition): Predicate {
  const values = [condition.operand, ...condition.more];
  const isOne = sql<boolean>`(${sql.ref(column)} = any(${values}::subscription_status[]))`;
  const isNegative = condition.operator === 'not-is' || condition.operator === 'not-in';
  return isNegative ? sql<boolean>`(not ${isOne})` : isOne;
}

/** Numbers are kept as +37060000000: spaces and brackets of a wish mean nothing, 00 is a plus. */
function withPlainNumber(condition: Condition): Condition {
  const plain = (text: string) => text.replace(/[\s().-]/g, '').replace(/^00/, '+');
  return { ...condition, operand: plain(condition.operand), more: condition.more.map(plain) };
}

/** The last of each kind per person answers 'ever' and 'within'; ranges need the events themselves. */
function activityCondition(
  column: 'last_human_open_at' | 'last_human_click_at',
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const since = condition.operator === 'all' ? undefined : sinceOf(condition, context.now);
  if (condition.operator !== 'all' && !since) return undefined;
  const did = sql<boolean>`(s.id in (
    select subscriber_id from activity
    where account_id = ${context.accountId} and ${sql.ref(column)}
      ${since ? sql`>= ${since}` : sql`is not null`}))`;
  return condition.type.startsWith('not-') ? sql<boolean>`(not ${did})` : did;
}

/** Neither opened nor clicked for so long, though they were there all that time. */
function inactivityCondition(condition: Condition, context: CompileContext): Predicate | undefined {
  const since = sinceOf(condition, context.now);
  if (!since) return undefined;
  return sql<boolean>`(s.created_at < ${since} and not (s.id in (
    select subscriber_id from activity
    where account_id = ${context.accountId}
      and (last_human_open_at >= ${since} or last_human_click_at >= ${since}))))`;
}
