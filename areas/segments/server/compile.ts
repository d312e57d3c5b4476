// Conditions → one boolean SQL expression over a row `s` of subscribers, shared by the list, its
// count, bulk actions, recipients and workflow conditions. Each family of conditions has its own
// file in this folder.
//
// Other tables are queried by EXISTS with the subscriber's id: for conditions joined by `and` the
// planner makes hash joins, for `or` a hash if it fits into memory and otherwise the index. `id in
// (select …)` would be evaluated again for every subscriber as soon as it does not fit.
import { type RawBuilder, sql } from 'kysely';
import { plainNumber } from '../conditions.ts';
import type { Condition } from '../shared.ts';
import type { CompileContext } from './context.ts';
import { eventCondition } from './event-conditions.ts';
import { fieldCondition } from './field-conditions.ts';
import { inactivityCondition, emailCondition } from './email-conditions.ts';
import { isWithin, keyCondition, textCondition } from './operators.ts';
import { euCondition, statusCondition, tagCondition } from './person-conditions.ts';
import {
  inactiveCustomerCondition,
  orderCondition,
  productCondition,
  refundCondition,
  sumCondition,
  visitCondition,
} from './shop-conditions.ts';
import { smsClickCondition } from './sms-click-conditions.ts';

export type Predicate = RawBuilder<boolean>;

export type Compiled = {
  /** Undefined without conditions: all subscribers. */
  where: Predicate | undefined;
  /** Conditions with missing references: a list ignores them, a bulk action refuses them. */
  unsupported: Condition[];
};

/**
 * Joins within a group by `inside_concat`, then group to group by each group's first
 * `outside_concat`, left to right; groups are in the order of first appearance.
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

function predicateOf(condition: Condition, context: CompileContext): Predicate | undefined {
  switch (condition.type) {
    case 'tag':
      return tagCondition(condition, context);
    case 'email_status':
    case 'temail_status':
    case 'sms_status':
    case 'tsms_status':
      return statusCondition(condition.type, condition);
    case 'geolocation_eu':
      return euCondition(condition);
    case 'firstname':
    case 'lastname':
      return textCondition(sql.ref(`s.${condition.type}`), condition);
    case 'email':
      return keyCondition('s.email_key', condition);
    case 'phone':
      return keyCondition('s.phone_key', withPlainNumber(condition));
    case 'created':
      return isWithin(sql.ref('s.created_at'), condition, context);
    case 'unsubscribed_at':
      return isWithin(sql.ref('s.unsubscribed_at'), condition, context);
    case 'open':
    case 'not-open':
    case 'click':
    case 'not-click':
      return emailCondition(condition.type, condition, context);
    case 'sms-click':
    case 'not-sms-click':
      return smsClickCondition(condition.type, condition, context);
    case 'not_active_subscribers':
      return inactivityCondition(condition, context);
    case 'order_count':
    case 'order_amount':
    case 'cart_product_count':
      return sumCondition(condition.type, condition, context);
    case 'not_active_customers':
      return inactiveCustomerCondition(condition, context);
    case 'placed_order':
      return orderCondition(condition, context);
    case 'refunded_order':
      return refundCondition(condition, context);
    case 'specific_product':
      return productCondition(condition, context);
    case 'checkout_started':
    case 'visited_cart':
      return visitCondition(condition.type, condition, context);
    case 'text':
    case 'number':
    case 'datetime':
    case 'birthday':
      return fieldCondition(condition, context);
    case 'event':
    case 'not-event':
      return eventCondition(condition, context);
    default:
      return unknownType(condition.type);
  }
}

/** A type without a case is a compile error; one stored by another version matches no subscriber. */
function unknownType(_type: never): undefined {
  return undefined;
}

function withPlainNumber(condition: Condition): Condition {
  const plain = (text: string) => plainNumber(text, condition.operator);
  return { ...condition, operand: plain(condition.operand), more: condition.more.map(plain) };
}
