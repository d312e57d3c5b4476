// Store data in one format for all sources: plugin, webhook, polling, import, browser.

export type OrderSource = 'plugin' | 'hook' | 'pull' | 'import' | 'browser';

export type StoreCustomer = {
  /** Id in the store; null if there is none (a guest). */
  remoteId: string | null;
  email: string | null;
  phone: string | null;
  /** ISO country code of the address, used to parse a national phone number. */
  country?: string | null;
  firstname: string | null;
  lastname: string | null;
  /**
   * `subscribed`: consented in the store; `unsubscribed`: refused; `open`: no answer. Only
   * `subscribed` makes the email status active; other customers are added as non-subscribed.
   */
  consent: 'subscribed' | 'unsubscribed' | 'open';
  consentAt: Date | null;
  smsConsent?: StoreCustomer['consent'];
  /** Groups that the store chooses, by id or title. */
  groups: readonly string[];
  /** Values by field id or name. */
  fields?: Readonly<Record<string, unknown>>;
};

/** Groups and fields of a call that do not exist in the account, and fields with invalid values. */
export type UnusedEntries = {
  unknownGroups: string[];
  unknownFields: string[];
  unfitFields: string[];
};

export type StoreProduct = {
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

export type StoreOrderLine = {
  remoteId: string | null;
  sku: string | null;
  title: string;
  quantity: number;
  price: number | null;
  imageUrl: string | null;
  url: string | null;
};

export type StoreOrder = {
  /** All identifiers of the order: `order:17`, `reference:XKBKNABJK`, `cart:55`; never empty. */
  aliases: readonly string[];
  /** Displayed number: #1017. */
  number: string | null;
  customer: StoreCustomer | null;
  /** State in the store's own term; empty if unknown. */
  status: string;
  /**
   * These flags are undefined if the report does not contain them; then the known value remains.
   */
  isPaid: boolean | undefined;
  isFulfilled: boolean | undefined;
  isCancelled: boolean | undefined;
  isRefunded: boolean | undefined;
  /** Total refunded so far; null if not reported. */
  refunded: number | null;
  /** Null if not reported (a report with only the state). */
  total: number | null;
  subtotal: number | null;
  tax: number | null;
  discount: number | null;
  shipping: number | null;
  currency: string | null;
  placedAt: Date | null;
  /** Time of the report. Each group of fields keeps the value of its newest report (`mergeOrder`). */
  reportedAt: Date;
  /** Null if not reported. */
  lines: readonly StoreOrderLine[] | null;
  cart: string | null;
};

export type StoreCart = {
  remoteId: string;
  customer: StoreCustomer | null;
  subscriberId: number | null;
  visitor: string | null;
  url: string | null;
  currency: string | null;
  total: number | null;
  lines: readonly StoreOrderLine[];
  reportedAt: Date;
};
