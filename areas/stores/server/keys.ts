// API credentials and signing secrets of stores, encrypted at rest, and webhook URLs.
import { encodePublicId } from '#platform/ids.ts';
import { seal, unseal } from '#platform/server/secrets.ts';
import type { StoreCredentials } from './adapter.ts';
import type { StoreRow } from './connections.sql.ts';
import { getStoresSettings } from './settings.ts';

const PURPOSE = 'store credentials';

export const sealSecret = (secret: string): Buffer => seal(PURPOSE, secret);
export const unsealSecret = (secret: Buffer): string => unseal(PURPOSE, secret);

export function readCredentials(shop: StoreRow): StoreCredentials | undefined {
  return shop.credentials
    ? (JSON.parse(unsealSecret(shop.credentials)) as StoreCredentials)
    : undefined;
}

export function readHookSecret(shop: Pick<StoreRow, 'hook_secret'>): string | undefined {
  return shop.hook_secret ? unsealSecret(shop.hook_secret) : undefined;
}

/** Returns the URL of the store's webhooks. */
export function hookUrl(accountId: number, id: number): string {
  return `${getStoresSettings().publicUrl}/hooks/stores/${encodePublicId('store', accountId, id)}`;
}

/**
 * Returns a store's host name at the platform (shop.myshopify.com), which privacy requests contain.
 * The keys of a disconnected store are deleted, so its host was recorded in the settings.
 */
export function getPlatformHost(shop: StoreRow): string | undefined {
  const address = readCredentials(shop)?.address;
  if (address === undefined) return shop.settings.platform_host;
  const text = address.trim().replace(/^(?!https?:\/\/)/i, 'https://');
  return URL.canParse(text) ? new URL(text).hostname : undefined;
}
