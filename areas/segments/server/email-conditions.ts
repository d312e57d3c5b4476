// Conditions on opens and clicks of emails, not of SMS. Positive conditions consider only human
// activity; negative ones and inactivity consider any event, because readers with image proxies
// would otherwise look inactive.
//
// A click is treated as an open too, as everywhere in tracking. `activity` has the first and the
// last event of each kind, `outcomes` the first event of each message. Neither table suffices for a
// range of days with both ends, so such a condition searches the events of these days.
import { sql } from 'kysely';
import { condition } from '../filter-grammar.ts';
import type { Condition } from '../shared.ts';
import { isAmong } from './bits.ts';
import { type CompileContext, decodeExistingIds } from './context.ts';
import { type Predicate, existsIn, getDateRange, getPeriodStart } from './operators.ts';

type ActivityColumn = 'open_at' | 'click_at' | 'human_open_at' | 'human_click_at';

export function emailCondition(
  type: 'open' | 'not-open' | 'click' | 'not-click',
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const isNegative = type.startsWith('not-');
  const action = type.endsWith('open') ? 'open' : 'click';
  const column: ActivityColumn = isNegative ? `${action}_at` : `human_${action}_at`;
  if (condition.operator === 'specific')
    return campaignCondition(condition, context, column, isNegative);
  const activity =
    condition.operator === 'between'
      ? hadEvent(action, !isNegative, condition, context)
      : hadActivity(column, condition, context);
  return activity && (isNegative ? sql<boolean>`(not ${activity})` : activity);
}

/** A negative condition on a campaign matches only recipients of the campaign. */
function campaignCondition(
  condition: Condition,
  context: CompileContext,
  column: ActivityColumn,
  isNegative: boolean,
): Predicate | undefined {
  const campaigns = decodeExistingIds(condition, 'campaign', context.messages);
  if (!campaigns) return undefined;
  const messages = campaigns.flatMap((id) => context.messages.get(id) ?? []);
  const isMatch = sql`x.message_id = any(${messages}::bigint[])
    and ${sql.ref(`x.first_${column}`)} is not null`;
  if (!isNegative) return existsIn('outcomes', context, isMatch);
  const { wasSent } = context;
  if (!wasSent) return sql<boolean>`false`;
  const wasSentOne = context.usesBitmaps
    ? isAmong(wasSent.selectRecipients(messages), context.accountId, context.gaps)
    : wasSent.isRecipient(messages);
  return sql<boolean>`(${wasSentOne} and not ${existsIn('outcomes', context, isMatch)})`;
}

function hadActivity(
  column: ActivityColumn,
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const first = sql.ref(`x.first_${column}`);
  const last = sql.ref(`x.last_${column}`);
  const since = getPeriodStart(condition, context);
  if (since) return existsIn('activity', context, sql`${last} >= ${since}`);
  const { from, until } = getDateRange(condition, context);
  switch (condition.operator) {
    case 'all':
      return existsIn('activity', context, sql`${last} is not null`);
    case 'before':
      return existsIn('activity', context, sql`${first} < ${from}`);
    case 'after':
      return existsIn('activity', context, sql`${last} >= ${until}`);
    default:
      return undefined;
  }
}

function hadEvent(
  action: 'open' | 'click',
  isHuman: boolean,
  condition: Condition,
  context: CompileContext,
): Predicate {
  const { from, until } = getDateRange(condition, context);
  return existsIn(
    'events',
    context,
    sql`x.at >= ${from} and x.at < ${until} and not x.is_sms
      and x.kind = any(${action === 'open' ? ['open', 'click'] : ['click']}::event_kind[])
      ${isHuman ? sql`and x.verdict = 'human'` : sql``}`,
  );
}

/** Returns the condition "inactive for `months` months". */
export const inactive = (months: number): Condition =>
  condition('not_active_subscribers', 'months', String(months));

/**
 * Returns the time before which subscribers must have been added, and since which they must not
 * have opened or clicked, to match `inactive(months)`.
 */
export const inactiveSince = (months: number, context: { now: Date; timezone: string }): Date =>
  getPeriodStart(inactive(months), context) as Date;

/** Matches subscribers who were added before the period and have not opened or clicked in it. */
export function inactivityCondition(
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const since = getPeriodStart(condition, context);
  if (!since) return undefined;
  const activity = existsIn('activity', context, sql`x.last_open_at >= ${since}`);
  return sql<boolean>`(s.created_at < ${since} and not ${activity})`;
}
