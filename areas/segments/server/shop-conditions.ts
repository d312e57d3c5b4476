// Conditions on orders, carts and products of connected stores. Conditions on a subscriber's totals
// or last event read `shoppers`, which has one row per subscriber. Single orders and visits are
// read only if that row is not sufficient, for example for a store, a product or a range.
import { type RawBuilder, sql } from 'kysely';
import type { Condition } from '../shared.ts';
import { type CompileContext, decodeExistingIds } from './context.ts';
import {
  type Predicate,
  existsIn,
  numberMatches,
  compareNumber,
  getDateRange,
  getPeriodStart,
} from './operators.ts';

/** A missing row means zero. */
export function sumCondition(
  column: 'order_count' | 'order_amount' | 'cart_product_count',
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const predicate = compareNumber(sql.ref(`x.${column}`), condition);
  if (!predicate) return undefined;
  return numberMatches(0, condition)
    ? sql<boolean>`(not ${existsIn('shoppers', context, sql`not ${predicate}`)})`
    : existsIn('shoppers', context, predicate);
}

/** Customers without an order since the instant of the condition. */
export function inactiveCustomerCondition(
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const since = getPeriodStart(condition, context);
  return since && existsIn('shoppers', context, sql`x.last_order_at < ${since}`);
}

/** Canceled orders do not count. */
export function orderCondition(
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const { from, until } = getDateRange(condition, context);
  switch (condition.operator) {
    case 'before':
      return existsIn('shoppers', context, sql`x.first_order_at < ${from}`);
    case 'between':
      return existsIn(
        'orders',
        context,
        sql`x.cancelled_at is null and x.is_confirmed and ${isBetween('placed_at', from, until)}`,
      );
    case 'specific':
      return storeCondition(
        'orders',
        condition,
        context,
        sql`x.cancelled_at is null and x.is_confirmed`,
      );
    default:
      return lastCondition('last_order_at', condition, context);
  }
}

/**
 * Only refunds of confirmed orders count because anyone can report unconfirmed ones with the public
 * key.
 */
export function refundCondition(
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const { from, until } = getDateRange(condition, context);
  switch (condition.operator) {
    case 'before':
      return existsIn('orders', context, sql`x.is_confirmed and x.refunded_at < ${from}`);
    case 'between':
      return existsIn(
        'orders',
        context,
        sql`x.is_confirmed and ${isBetween('refunded_at', from, until)}`,
      );
    case 'specific':
      return storeCondition(
        'orders',
        condition,
        context,
        sql`x.is_confirmed and x.refunded_at is not null`,
      );
    default:
      return lastCondition('last_refund_at', condition, context);
  }
}

export function visitCondition(
  type: 'checkout_started' | 'visited_cart',
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const isCart = type === 'visited_cart';
  const isKind = sql`x.kind = ${isCart ? 'cart' : 'checkout'}`;
  const { from, until } = getDateRange(condition, context);
  switch (condition.operator) {
    case 'before':
      return existsIn('shop_visits', context, sql`${isKind} and x.at < ${from}`);
    case 'between':
      return existsIn('shop_visits', context, sql`${isKind} and ${isBetween('at', from, until)}`);
    case 'specific':
      return storeCondition('shop_visits', condition, context, isKind);
    default:
      return lastCondition(isCart ? 'last_cart_at' : 'last_checkout_at', condition, context);
  }
}

/** Matches subscribers who bought one of the products in an order that was not canceled. */
export function productCondition(
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const products = decodeExistingIds(condition, 'product', context.products);
  if (!products) return undefined;
  const bought = existsIn(
    'order_products',
    context,
    sql`x.product_id = any(${products}::bigint[]) and not x.is_cancelled`,
  );
  return condition.operator === 'have' ? bought : sql<boolean>`(not ${bought})`;
}

function storeCondition(
  table: 'orders' | 'shop_visits',
  condition: Condition,
  context: CompileContext,
  where: RawBuilder<unknown>,
): Predicate | undefined {
  const stores = decodeExistingIds(condition, 'store', context.stores);
  return (
    stores && existsIn(table, context, sql`x.store_id = any(${stores}::bigint[]) and ${where}`)
  );
}

/**
 * Compiles a condition on the time of the last event: whether the event ever happened, whether it
 * happened within a period until now, or whether it happened after a day.
 */
function lastCondition(
  column: 'last_order_at' | 'last_refund_at' | 'last_cart_at' | 'last_checkout_at',
  condition: Condition,
  context: CompileContext,
): Predicate | undefined {
  const last = sql.ref(`x.${column}`);
  const since = getPeriodStart(condition, context);
  if (since) return existsIn('shoppers', context, sql`${last} >= ${since}`);
  if (condition.operator === 'all') return existsIn('shoppers', context, sql`${last} is not null`);
  if (condition.operator !== 'after') return undefined;
  const { until } = getDateRange(condition, context);
  return existsIn('shoppers', context, sql`${last} >= ${until}`);
}

const isBetween = (
  column: string,
  from: RawBuilder<unknown>,
  until: RawBuilder<unknown>,
) => sql`${sql.ref(`x.${column}`)} >= ${from}
  and ${sql.ref(`x.${column}`)} < ${until}`;
