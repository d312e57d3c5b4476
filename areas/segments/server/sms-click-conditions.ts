// Conditions on clicks in SMS, separate from clicks in emails. Positive and negative conditions
// consider only human clicks: phones fetch link previews, which reveals nothing about the
// recipient.
import { sql } from 'kysely';
import type { Condition, SmsConditionType } from '../shared.ts';
import { isAmong } from './bits.ts';
import { type CompileContext, decodeExistingIds } from './context.ts';
import { type Predicate, existsIn, getDateRange, getPeriodStart } from './operators.ts';

export function smsClickCondition(
  type: SmsConditionType,
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const isNegative = type === 'not-sms-click';
  if (condition.operator === 'specific') return inCampaigns(condition, context, isNegative);
  const clicked = hadClicked(condition, context);
  return clicked && (isNegative ? sql<boolean>`(not ${clicked})` : clicked);
}

/** A negative condition on a campaign matches only recipients of the campaign. */
function inCampaigns(
  condition: Condition,
  context: CompileContext,
  isNegative: boolean,
): Predicate | undefined {
  const campaigns = decodeExistingIds(condition, 'sms', context.smsMessages);
  if (!campaigns) return undefined;
  const messages = campaigns.flatMap((id) => context.smsMessages.get(id) ?? []);
  const clicked = existsIn(
    'outcomes',
    context,
    sql`x.message_id = any(${messages}::bigint[]) and x.first_human_click_at is not null`,
  );
  if (!isNegative) return clicked;
  const { wasSent } = context;
  if (!wasSent) return sql<boolean>`false`;
  const wasSentOne = context.usesBitmaps
    ? isAmong(wasSent.selectRecipients(messages), context.accountId, context.gaps)
    : wasSent.isRecipient(messages);
  return sql<boolean>`(${wasSentOne} and not ${clicked})`;
}

/**
 * The first and the last click are in `sms_clicks`: only a range with both ends reads individual
 * clicks.
 */
function hadClicked(condition: Condition, context: CompileContext): Predicate | undefined {
  const since = getPeriodStart(condition, context);
  if (since) return existsIn('sms_clicks', context, sql`x.last_at >= ${since}`);
  const { from, until } = getDateRange(condition, context);
  switch (condition.operator) {
    case 'all':
      return existsIn('sms_clicks', context, sql`true`);
    case 'before':
      return existsIn('sms_clicks', context, sql`x.first_at < ${from}`);
    case 'after':
      return existsIn('sms_clicks', context, sql`x.last_at >= ${until}`);
    case 'between':
      return existsIn(
        'events',
        context,
        sql`x.at >= ${from} and x.at < ${until} and x.is_sms and x.kind = 'click'
          and x.verdict = 'human'`,
      );
    default:
      return undefined;
  }
}
