// Merges a report about an order into its known state. The result does not depend on the sequence
// of the reports: each group of fields is taken from the newest report about it, and confirmed data
// remains. Stores report times in whole seconds, so reports of the same second are ordered by
// state: a refund follows a payment.
import type { StoredOrder, ReportTimes } from './orders.sql.ts';
import type { OrderSource, StoreOrder } from './store-payloads.ts';

type OrderReport = {
  order: StoreOrder;
  source: OrderSource;
  /** Undefined if the buyer is unknown. */
  subscriberId: number | undefined;
  currency: string;
};

/** Creates a new order. The report is then merged into it. */
export function createStoredOrder(
  id: number,
  { order, source, currency }: OrderReport,
): StoredOrder {
  return {
    id,
    subscriber_id: null,
    remote_id: order.aliases[0] as string,
    number: null,
    total: 0,
    subtotal: null,
    tax: null,
    discount: null,
    shipping: null,
    currency,
    refunded: 0,
    status: '',
    source,
    is_confirmed: false,
    placed_at: order.placedAt ?? order.reportedAt,
    cancelled_at: null,
    refunded_at: null,
    fulfilled_at: null,
    cart_id: null,
    field_times: {},
  };
}

/** Merges a report into an order. The store's reports take precedence over browsers' reports. */
export function mergeOrder(before: StoredOrder, report: OrderReport): StoredOrder {
  const { order, source, subscriberId } = report;
  const isTrusted = source !== 'browser';
  const at = isTrusted ? order.reportedAt.getTime() : 0;
  const rank = isTrusted ? at + stateRank(order) : 0;
  const fieldTimes: ReportTimes = { ...before.field_times };
  const after: StoredOrder = { ...before, field_times: fieldTimes };
  const accepts: AcceptsGroup = (group, isReported, isGreater = false) => {
    const moment = group === 'refund' ? at : rank;
    const knownTime = fieldTimes[group] ?? -1;
    if (!isReported || knownTime > moment || (knownTime === moment && !isGreater)) return false;
    fieldTimes[group] = moment;
    return true;
  };
  accepts('any', true);
  mergeCustomer(after, subscriberId, accepts);
  if (accepts('number', order.number !== null, (order.number ?? '') > (after.number ?? '')))
    after.number = order.number;
  mergePlaced(after, order, at, accepts);
  mergeAmounts(after, order, accepts);
  accepts('lines', order.lines !== null);
  if (accepts('state', order.status !== '', order.status > after.status)) {
    after.status = order.status;
    after.cancelled_at = order.isCancelled ? order.reportedAt : null;
  }
  if (isTrusted && confirms(order)) after.is_confirmed = true;
  if (isTrusted && order.isFulfilled && isEarlier(order.reportedAt, after.fulfilled_at))
    after.fulfilled_at = order.reportedAt;
  mergeRefund(after, order, accepts);
  return after;
}

/** `isGreater` selects between two values with the same time and state. */
type AcceptsGroup = (group: keyof ReportTimes, isReported: boolean, isGreater?: boolean) => boolean;

/** Returns fractions of a millisecond that sort reports of the same moment by the order's state. */
function stateRank({ isRefunded, isCancelled, isFulfilled, isPaid }: StoreOrder): number {
  if (isRefunded) return 0.5;
  if (isCancelled) return 0.375;
  if (isFulfilled) return 0.25;
  return isPaid ? 0.125 : 0;
}

/**
 * Merges `absorbed` into `stored` when both turn out to be the same order: each group of fields is
 * taken from the newest report about either.
 */
export function joinOrders(stored: StoredOrder, absorbed: StoredOrder): StoredOrder {
  const after: StoredOrder = { ...stored, field_times: { ...stored.field_times } };
  const isNewer = (group: keyof ReportTimes): boolean => {
    const at = absorbed.field_times[group] ?? -1;
    if (at <= (stored.field_times[group] ?? -1)) return false;
    after.field_times[group] = at;
    return true;
  };
  isNewer('any');
  isNewer('lines');
  if (isNewer('customer')) after.subscriber_id = absorbed.subscriber_id;
  if (isNewer('number')) after.number = absorbed.number;
  if (isNewer('placed')) after.placed_at = absorbed.placed_at;
  else if (after.field_times.placed === undefined && absorbed.placed_at < after.placed_at)
    after.placed_at = absorbed.placed_at;
  if (isNewer('amounts')) {
    const { total, subtotal, tax, discount, shipping, currency } = absorbed;
    Object.assign(after, { total, subtotal, tax, discount, shipping, currency });
  }
  if (isNewer('state')) {
    after.status = absorbed.status;
    after.cancelled_at = absorbed.cancelled_at;
  }
  if (isNewer('refund')) {
    after.refunded = absorbed.refunded;
    after.refunded_at = absorbed.refunded_at;
  }
  after.is_confirmed ||= absorbed.is_confirmed;
  if (absorbed.fulfilled_at && isEarlier(absorbed.fulfilled_at, after.fulfilled_at))
    after.fulfilled_at = absorbed.fulfilled_at;
  after.cart_id ??= absorbed.cart_id;
  return after;
}

/**
 * Returns whether the report shows that the order is valid: it is not canceled, and it is paid,
 * refunded, or has a total but no state.
 */
function confirms({ isPaid, isCancelled, isRefunded, status, total }: StoreOrder): boolean {
  if (isCancelled) return false;
  if (isRefunded || isPaid) return true;
  return status === '' && total !== null;
}

function mergeCustomer(
  after: StoredOrder,
  subscriberId: number | undefined,
  accepts: AcceptsGroup,
): void {
  const isOther = (subscriberId ?? 0) > (after.subscriber_id ?? 0);
  if (accepts('customer', subscriberId !== undefined, isOther))
    after.subscriber_id = subscriberId ?? null;
}

/**
 * Merges the time of the order: until a report contains it, the time of the earliest trusted report
 * is used.
 */
function mergePlaced(
  after: StoredOrder,
  { placedAt, reportedAt }: StoreOrder,
  at: number,
  accepts: AcceptsGroup,
): void {
  if (accepts('placed', placedAt !== null, placedAt !== null && placedAt > after.placed_at))
    after.placed_at = placedAt as Date;
  else if (after.field_times.placed === undefined && at > 0 && at < after.placed_at.getTime())
    after.placed_at = reportedAt;
}

function mergeAmounts(after: StoredOrder, order: StoreOrder, accepts: AcceptsGroup): void {
  if (!accepts('amounts', order.total !== null, (order.total ?? 0) > after.total)) return;
  after.total = order.total ?? 0;
  after.subtotal = order.subtotal;
  after.tax = order.tax;
  after.discount = order.discount;
  after.shipping = order.shipping;
  after.currency = order.currency ?? after.currency;
}

function mergeRefund(after: StoredOrder, order: StoreOrder, accepts: AcceptsGroup): void {
  const isReported = order.isRefunded === true || order.refunded !== null;
  // The larger of two refunds within one second is the later one: stores never revert refunds.
  const refundedSize = after.refunded_at ? after.refunded || Infinity : 0;
  const size = order.refunded || (order.isRefunded ? Infinity : 0);
  if (!accepts('refund', isReported, size > refundedSize)) return;
  // A refund without an amount is a full refund.
  after.refunded = order.refunded ?? 0;
  const isAny = order.isRefunded === true || after.refunded > 0;
  after.refunded_at = isAny ? order.reportedAt : null;
}

const isEarlier = (at: Date, other: Date | null) => other === null || at < other;

/** Returns the amount refunded so far, in the order's currency. */
export function computeRefundedAmount(
  order: Pick<StoredOrder, 'refunded_at' | 'refunded' | 'total'>,
): number {
  if (!order.refunded_at) return 0;
  return order.refunded > 0 ? Math.min(order.refunded, order.total) : order.total;
}
