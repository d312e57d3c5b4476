// Mappings shared by Shopify's API responses and webhooks.
import {
  readList,
  readObject,
  readText,
  parseTimestamp,
  type StoreCustomer,
} from '#areas/stores/server/index.ts';

export type JsonObject = Record<string, unknown>;

export const nodes = (connection: unknown): JsonObject[] =>
  readList(readObject(connection).nodes).map(readObject);

/** `gid://shopify/Order/123` → `123` */
export const readGidNumber = (value: unknown): string | null =>
  readText(value, 200)?.split('/').at(-1)?.split('?')[0] ?? null;

export const readUtcTime = (value: unknown) => parseTimestamp(value, 'UTC');
export function payment(status: string, isCancelled: boolean) {
  return {
    isPaid: !['pending', 'authorized', 'voided', 'expired', ''].includes(status),
    isCancelled,
    isRefunded: status === 'refunded' || undefined,
  };
}

export const CONSENTS: Record<string, StoreCustomer['consent']> = {
  subscribed: 'subscribed',
  unsubscribed: 'unsubscribed',
};
