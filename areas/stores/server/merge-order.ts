// One word about an order on top of what is known: whatever order the words come in, the end is the same.
// Groups of fields are kept by the newest word about them; what a shop has confirmed stays confirmed. Shops tell times
// in whole seconds, so two facts of the same second are ordered by the state that they tell: a refund follows a payment.
import type { KeptOrder, ToldTimes } from './orders.sql.ts';
import type { Source, ToldOrder } from './told.ts';

type Telling = {
  order: ToldOrder;
  source: Source;
  /** Undefined: nobody is known by it. */
  subscriberId: number | undefined;
  currency: string;
};

/** An order that begins with this word. */
export function newOrder(id: number, { order, source, currency }: Telling): KeptOrder {
  return {
    id,
    subscriber_id: null,
    remote_id: order.names[0] as string,
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
    placed_at: order.placedAt ?? order.toldAt,
    cancelled_at: null,
    refunded_at: null,
    fulfilled_at: null,
    cart_id: null,
    told: {},
  };
}

/** What a browser says yields to every word of the shop itself. */
export function mergeOrder(before: KeptOrder, telling: Telling): KeptOrder {
  const { order, source, subscriberId } = telling;
  const isTrusted = source !== 'browser';
  const at = isTrusted ? order.toldAt.getTime() : 0;
  const rank = isTrusted ? at + stateRank(order) : 0;
  const told: ToldTimes = { ...before.told };
  const after: KeptOrder = { ...before, told };
  const takes: Takes = (group, isSaid, isGreater = false) => {
    const moment = group === 'refund' ? at : rank;
    const known = told[group] ?? -1;
    if (!isSaid || known > moment || (known === moment && !isGreater)) return false;
    told[group] = moment;
    return true;
  };
  takes('any', true);
  const isOther = (subscriberId ?? 0) > (after.subscriber_id ?? 0);
  if (takes('customer', subscriberId !== undefined, isOther))
    after.subscriber_id = subscriberId ?? null;
  if (takes('number', order.number !== null, (order.number ?? '') > (after.number ?? '')))
    after.number = order.number;
  const { placedAt } = order;
  if (takes('placed', placedAt !== null, placedAt !== null && placedAt > after.placed_at))
    after.placed_at = placedAt as Date;
  else if (told.placed === undefined && at > 0 && at < after.placed_at.getTime())
    after.placed_at = order.toldAt;
  if (takes('amounts', order.total !== null, (order.total ?? 0) > after.total)) {
    after.total = order.total ?? 0;
    after.subtotal = order.subtotal;
    after.tax = order.tax;
    after.discount = order.discount;
    after.shipping = order.shipping;
    after.currency = order.currency ?? after.currency;
  }
  takes('lines', order.lines !== null);
  if (takes('state', order.status !== '', order.status > after.status)) {
    after.status = order.status;
    after.cancelled_at = order.isCancelled ? order.toldAt : null;
  }
  if (isTrusted && confirms(order)) after.is_confirmed = true;
  if (isTrusted && order.isFulfilled && isEarlier(order.toldAt, after.fulfilled_at))
    after.fulfilled_at = order.toldAt;
  mergeRefund(after, order, takes);
  return after;
}

/** `isGreater`: which of two facts of the same moment and state is kept. */
type Takes = (group: keyof ToldTimes, isSaid: boolean, isGreater?: boolean) => boolean;

/** Fractions of a millisecond by which facts of one moment follow each other, in the course of an order. */
function stateRank({ isRefunded, isCancelled, isFulfilled, isPaid }: ToldOrder): number {
  if (isRefunded) return 0.5;
  if (isCancelled) return 0.375;
  if (isFulfilled) return 0.25;
  return isPaid ? 0.125 : 0;
}

/** Two that were told apart are one: by group of fields, the newest word about either. */
export function joinOrders(kept: KeptOrder, other: KeptOrder): KeptOrder {
  const after: KeptOrder = { ...kept, told: { ...kept.told } };
  const isNewer = (group: keyof ToldTimes): boolean => {
    const at = other.told[group] ?? -1;
    if (at <= (kept.told[group] ?? -1)) return false;
    after.told[group] = at;
    return true;
  };
  isNewer('any');
  isNewer('lines');
  if (isNewer('customer')) after.subscriber_id = other.subscriber_id;
  if (isNewer('number')) after.number = other.number;
  if (isNewer('placed')) after.placed_at = other.placed_at;
  else if (after.told.placed === undefined && other.placed_at < after.placed_at)
    after.placed_at = other.placed_at;
  if (isNewer('amounts')) {
    const { total, subtotal, tax, discount, shipping, currency } = other;
    Object.assign(after, { total, subtotal, tax, discount, shipping, currency });
  }
  if (isNewer('state')) {
    after.status = other.status;
    after.cancelled_at = other.cancelled_at;
  }
  if (isNewer('refund')) {
    after.refunded = other.refunded;
    after.refunded_at = other.refunded_at;
  }
  after.is_confirmed ||= other.is_confirmed;
  if (other.fulfilled_at && isEarlier(other.fulfilled_at, after.fulfilled_at))
    after.fulfilled_at = other.fulfilled_at;
  after.cart_id ??= other.cart_id;
  return after;
}

/** Paid, or told as an order without a word about its payment. */
function confirms({ isPaid, isCancelled, isRefunded, status, total }: ToldOrder): boolean {
  if (isCancelled) return false;
  if (isRefunded || isPaid) return true;
  return status === '' && total !== null;
}

function mergeRefund(after: KeptOrder, order: ToldOrder, takes: Takes): void {
  const isSaid = order.isRefunded === true || order.refunded !== null;
  // Of one second the larger refund is the later one: a shop takes no refund back.
  const known = after.refunded_at ? after.refunded || Infinity : 0;
  const size = order.refunded || (order.isRefunded ? Infinity : 0);
  if (!takes('refund', isSaid, size > known)) return;
  // Without an amount: all of it.
  after.refunded = order.refunded ?? 0;
  const isAny = order.isRefunded === true || after.refunded > 0;
  after.refunded_at = isAny ? order.toldAt : null;
}

const isEarlier = (at: Date, than: Date | null) => than === null || at < than;

/** What has gone back of it so far, in its currency. */
export function refundedOf(order: Pick<KeptOrder, 'refunded_at' | 'refunded' | 'total'>): number {
  if (!order.refunded_at) return 0;
  return order.refunded > 0 ? Math.min(order.refunded, order.total) : order.total;
}
