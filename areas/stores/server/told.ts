// What shops tell, read into one shape whichever way it came: plugin, hook, pull, browser, demo.

export type Source = 'plugin' | 'hook' | 'pull' | 'import' | 'browser';

export type ToldCustomer = {
  /** The shop's own number; null where it has none (a guest). */
  remoteId: string | null;
  email: string | null;
  phone: string | null;
  /** ISO code of the address beside the phone number, by which a national number is read. */
  country?: string | null;
  firstname: string | null;
  lastname: string | null;
  /**
   * `subscribed`: said so, in the shop; `unsubscribed`: said no; `open`: nothing was said. A buyer is not a
   * subscriber.
   */
  consent: 'subscribed' | 'unsubscribed' | 'open';
  consentAt: Date | null;
  /** Names of groups that the shop puts them in. */
  groups: readonly string[];
};

export type ToldProduct = {
  remoteId: string;
  title: string;
  description: string | null;
  sku: string | null;
  price: number | null;
  oldPrice: number | null;
  currency: string | null;
  imageUrl: string | null;
  url: string | null;
  categories: readonly string[];
  isListed: boolean;
  createdAt: Date | null;
};

export type ToldLine = {
  remoteId: string | null;
  sku: string | null;
  title: string;
  quantity: number;
  price: number | null;
  imageUrl: string | null;
  url: string | null;
};

export type ToldOrder = {
  /** Every name it goes by here: `order:17`, `reference:XKBKNABJK`, `cart:55`; never empty. */
  names: readonly string[];
  /** As people read it: #1017. */
  number: string | null;
  customer: ToldCustomer | null;
  /** The shop's own word; empty where nothing was said. */
  status: string;
  /** Undefined: nothing was said of it, and what was known stays. */
  isPaid: boolean | undefined;
  isFulfilled: boolean | undefined;
  isCancelled: boolean | undefined;
  isRefunded: boolean | undefined;
  /** What went back in all so far; null where nothing was said. */
  refunded: number | null;
  /** Null: nothing was said (a word about the status alone). */
  total: number | null;
  subtotal: number | null;
  tax: number | null;
  discount: number | null;
  shipping: number | null;
  currency: string | null;
  placedAt: Date | null;
  /** Of this word: an older one than what is known changes nothing. */
  toldAt: Date;
  /** Null: nothing was said. */
  lines: readonly ToldLine[] | null;
  cart: string | null;
};

export type ToldCart = {
  remoteId: string;
  customer: ToldCustomer | null;
  subscriberId: number | null;
  visitor: string | null;
  url: string | null;
  currency: string | null;
  total: number | null;
  lines: readonly ToldLine[];
  toldAt: Date;
};

const UNPAID = new Set([
  'pending',
  'unpaid',
  'checkout-draft',
  'draft',
  'failed',
  'awaiting',
  'voided',
  'authorized',
]);
/** Drafts and quotes: `auto-draft`, `request-quote`, `quotation-sent`, `ywraq-new` of the usual plugins. */
const NO_PURCHASE = /(^|[-_ ])(draft|quotes?|quotation|estimate|proforma|ywraq)($|[-_ ])/;
const FULFILLED = new Set(['completed', 'shipped', 'fulfilled', 'delivered']);
const CANCELLED = new Set(['cancelled', 'canceled', 'trash', 'expired', 'deleted']);

/** What a shop's word for an order's state says; of an unknown word only that the order is there. */
export function stateOf(
  word: string,
): Pick<ToldOrder, 'isPaid' | 'isFulfilled' | 'isCancelled' | 'isRefunded'> {
  const status = word.trim().toLowerCase().replace(/^wc-/, '');
  if (status === '')
    return {
      isPaid: undefined,
      isFulfilled: undefined,
      isCancelled: undefined,
      isRefunded: undefined,
    };
  const isRefunded = status === 'refunded';
  const isCancelled = CANCELLED.has(status);
  return {
    isPaid:
      isCancelled || isRefunded ? undefined : !UNPAID.has(status) && !NO_PURCHASE.test(status),
    isFulfilled: FULFILLED.has(status) || undefined,
    isCancelled,
    isRefunded: isRefunded || undefined,
  };
}
