// Interface of a store platform. Providers implement it; main/ registers them.
import type { StoreCustomer, StoreOrder, StoreProduct } from './store-payloads.ts';

/** API credentials of a store; encrypted at rest. */
export type StoreCredentials = {
  address: string;
  key: string;
  secret: string;
  /**
   * `client`: key and secret are exchanged for tokens. Undefined: they authenticate each request
   * (WooCommerce), or the key alone does and the secret signs webhooks (Shopify).
   */
  access?: 'client' | undefined;
};

export type SyncedKind = 'products' | 'customers' | 'orders';

export type StoreIdentity = {
  title: string;
  domain: string;
  currency: string;
  zone: string | null;
};

export type StoreChanges = {
  customers?: readonly StoreCustomer[];
  products?: readonly StoreProduct[];
  orders?: readonly StoreOrder[];
  /** Cursor of the next call; null at the end. */
  next: string | null;
  /** Delay before the next call, as requested by the platform. */
  waitMs?: number;
};

export type StoreWebhookRequest = {
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

export type StoreWebhookResult =
  /** A test call that only checks reachability. */
  | { kind: 'ping' }
  /** The call has no valid authentication. */
  | { kind: 'refused' }
  | { kind: 'accepted'; key: string; topic: string; body: unknown };

export type StoreWebhook = {
  customers?: readonly StoreCustomer[];
  products?: readonly StoreProduct[];
  orders?: readonly StoreOrder[];
  /** Ids of products in the store that are no longer sold. */
  deletedProducts?: readonly string[];
  /** Whether the app was uninstalled in the store, so that this installation has no more access. */
  isUninstalled?: boolean;
  privacyRequests?: readonly PrivacyRequest[];
};

/** A privacy request; the platform forwards such requests even after a disconnection. */
export type PrivacyRequest = {
  kind: 'customer_data' | 'customer_redaction' | 'shop_redaction';
  /** The store's host at the platform (shop.myshopify.com); null if the request names none. */
  shopHost: string | null;
  customer: { remoteId: string | null; email: string | null };
};

export interface Adapter {
  readonly type: string;
  /**
   * Returns the identity of the store.
   * @throws `StoreError`
   */
  check(credentials: StoreCredentials, signal: AbortSignal): Promise<StoreIdentity>;
  /** Registers webhooks; existing ones are kept. Returns the secret that signs them. */
  registerWebhooks(
    credentials: StoreCredentials,
    hook: {
      url: string;
      secret: string;
      /** Called for each topic that the store refuses to register, with the reason. */
      onRefused?: (topic: string, reason: string) => void;
    },
    signal: AbortSignal,
  ): Promise<string>;
  /** Returns one page of the changes since an instant, or of all data if `since` is null. */
  fetchChanges(
    credentials: StoreCredentials,
    kind: SyncedKind,
    at: { since: Date | null; cursor: string | null; zone: string },
    signal: AbortSignal,
  ): Promise<StoreChanges>;
  verifyWebhook(call: StoreWebhookRequest, secret: string): StoreWebhookResult;
  /** Parses a webhook; undefined for irrelevant topics. */
  parseWebhook(
    topic: string,
    body: unknown,
    moment: { zone: string; now: Date },
  ): StoreWebhook | undefined;
  /** Topics of webhooks that are accepted from disconnected stores too. */
  readonly privacyTopics?: readonly string[];
  /** Deletes the webhooks that `registerWebhooks` registered. */
  disconnect(
    credentials: StoreCredentials,
    hook: { url: string },
    signal: AbortSignal,
  ): Promise<void>;
}

export type StoreErrorCode =
  /** The keys are invalid. */
  | 'refused'
  /** The app is not installed in the store, or belongs to another organization. */
  | 'not_installed'
  /** The store does not permit this app's authentication. */
  | 'not_permitted'
  /** The keys lack permissions. */
  | 'scopes_missing'
  /** No response. */
  | 'unreachable'
  /** The response is not from a store of this platform. */
  | 'not_a_shop'
  | 'https_needed'
  /** Retry later. */
  | 'busy';

/** A failed call to a store, with the reason. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  readonly retryAfterMs: number | undefined;

  constructor(code: StoreErrorCode, message: string, retryAfterMs?: number) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

let adapters = new Map<string, Adapter>();

export function configureAdapters(list: readonly Adapter[]): void {
  adapters = new Map(list.map((adapter) => [adapter.type, adapter]));
}

/**
 * Returns the adapter of a platform; undefined for stores that are connected only through their
 * plugin.
 */
export function getAdapter(type: string): Adapter | undefined {
  return adapters.get(type);
}
