// Conditions on custom events. `event_people` stores the first and last occurrence and the count;
// only a range with both ends reads the occurrences within it.
import { type RawBuilder, sql } from 'kysely';
import { decodeId } from '#platform/ids.ts';
import type { Condition } from '../shared.ts';
import type { CompileContext } from './context.ts';
import { type Predicate, existsIn, getDateRange, getPeriodStart } from './operators.ts';

/**
 * Compiles a condition on a custom event; undefined if the account does not have the event, or for
 * an unknown operator.
 */
export function eventCondition(
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const id = decodeId('custom_event', condition.key);
  if (id === undefined || !context.events.has(id)) return undefined;
  const hasEvent = hadEvent(id, condition, context);
  return hasEvent && (condition.type === 'not-event' ? sql<boolean>`(not ${hasEvent})` : hasEvent);
}

function hadEvent(
  id: number,
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const existsWhere = (predicate: RawBuilder<unknown>) =>
    existsIn('event_people', context, sql`x.event_id = ${id} and ${predicate}`);
  const since = getPeriodStart(condition, context);
  if (since) return existsWhere(sql`x.last_at >= ${since}`);
  const { from, until } = getDateRange(condition, context);
  switch (condition.operator) {
    case 'all':
      return existsWhere(sql`true`);
    case 'more-than':
      return existsWhere(sql`x.times > ${Number(condition.operand)}::bigint`);
    case 'before':
      return existsWhere(sql`x.first_at < ${from}`);
    case 'after':
      return existsWhere(sql`x.last_at >= ${until}`);
    case 'between':
      return existsIn(
        'event_occurrences',
        context,
        sql`x.event_id = ${id} and x.at >= ${from} and x.at < ${until}`,
      );
    default:
      return undefined;
  }
}
