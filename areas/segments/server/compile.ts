// Compiles conditions to one boolean SQL expression over a row `s` of subscribers, for the list,
// its count, bulk actions, exports, recipients and workflow conditions. Each family of conditions
// has its own file in this folder.
//
// Other tables are queried by EXISTS with the subscriber's id: for conditions joined by `and` the
// planner makes hash joins, for `or` a hash if it fits into memory and otherwise the index. `id in
// (select …)` would be evaluated again for every subscriber as soon as it does not fit.
import { sql } from 'kysely';
import { toPlainNumber } from '../conditions.ts';
import type { Condition } from '../shared.ts';
import type { CompileContext } from './context.ts';
import { eventCondition } from './event-conditions.ts';
import { fieldCondition } from './field-conditions.ts';
import { inactivityCondition, emailCondition } from './email-conditions.ts';
import { type Predicate, isWithin, keyCondition, textCondition } from './operators.ts';
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

export type CompiledConditions = {
  /** Undefined without conditions, which match all subscribers. */
  where: Predicate | undefined;
  /**
   * Conditions with missing references or unknown types: a list ignores them; bulk actions and
   * exports refuse them.
   */
  unsupported: Condition[];
};

/**
 * Joins within a group by `inside_concat`, then group to group by each group's first
 * `outside_concat`, left to right; groups are in the order of first appearance.
 */
export function compileConditions(
  conditions: readonly Condition[],
  context: CompileContext,
): CompiledConditions {
  const unsupportedConditions: Condition[] = [];
  const groups = new Map<number, { outside: 'and' | 'or'; where: Predicate }>();
  for (const condition of conditions) {
    const predicate = compileCondition(condition, context);
    if (!predicate) {
      unsupportedConditions.push(condition);
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
  return { where, unsupported: unsupportedConditions };
}

const join = (a: Predicate, concat: 'and' | 'or', b: Predicate): Predicate =>
  concat === 'and' ? sql<boolean>`(${a} and ${b})` : sql<boolean>`(${a} or ${b})`;

/**
 * A stored type of another version of the product has no compiler, so its condition is unsupported.
 */
function compileCondition(condition: Condition, context: CompileContext): Predicate | undefined {
  if (!Object.hasOwn(COMPILERS, condition.type)) return undefined;
  return COMPILERS[condition.type](condition, context);
}

type Compiler = (condition: Condition, context: CompileContext) => Predicate | undefined;

const COMPILERS: Record<Condition['type'], Compiler> = {
  tag: tagCondition,
  email_status: (condition) => statusCondition('email_status', condition),
  temail_status: (condition) => statusCondition('temail_status', condition),
  sms_status: (condition) => statusCondition('sms_status', condition),
  tsms_status: (condition) => statusCondition('tsms_status', condition),
  geolocation_eu: euCondition,
  firstname: (condition) => textCondition(sql.ref('s.firstname'), condition),
  lastname: (condition) => textCondition(sql.ref('s.lastname'), condition),
  email: (condition) => keyCondition('s.email_key', condition),
  phone: (condition) => keyCondition('s.phone_key', withPlainNumber(condition)),
  created: (condition, context) => isWithin(sql.ref('s.created_at'), condition, context),
  unsubscribed_at: (condition, context) =>
    isWithin(sql.ref('s.unsubscribed_at'), condition, context),
  open: (condition, context) => emailCondition('open', condition, context),
  'not-open': (condition, context) => emailCondition('not-open', condition, context),
  click: (condition, context) => emailCondition('click', condition, context),
  'not-click': (condition, context) => emailCondition('not-click', condition, context),
  'sms-click': (condition, context) => smsClickCondition('sms-click', condition, context),
  'not-sms-click': (condition, context) => smsClickCondition('not-sms-click', condition, context),
  not_active_subscribers: inactivityCondition,
  order_count: (condition, context) => sumCondition('order_count', condition, context),
  order_amount: (condition, context) => sumCondition('order_amount', condition, context),
  cart_product_count: (condition, context) =>
    sumCondition('cart_product_count', condition, context),
  not_active_customers: inactiveCustomerCondition,
  placed_order: orderCondition,
  refunded_order: refundCondition,
  specific_product: productCondition,
  checkout_started: (condition, context) => visitCondition('checkout_started', condition, context),
  visited_cart: (condition, context) => visitCondition('visited_cart', condition, context),
  text: fieldCondition,
  number: fieldCondition,
  datetime: fieldCondition,
  birthday: fieldCondition,
  event: eventCondition,
  'not-event': eventCondition,
};

function withPlainNumber(condition: Condition): Condition {
  const toPlain = (text: string) => toPlainNumber(text, condition.operator);
  return {
    ...condition,
    operand: toPlain(condition.operand),
    more: condition.more.map(toPlain),
  };
}
