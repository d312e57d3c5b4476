// API credentials and signing secrets of stores, encrypted at rest, and URLs of their webhooks.
import { encodePublicId } from '#platform/ids.ts';
import { seal, unseal } from '#platform/server/secrets.ts';
import type { Credentials } from './adapter.ts';
import type { StoreFacts } from './connections.sql.ts';
import { storesSettings } from './settings.ts';

const PURPOSE = 'store credentials';

export const sealed = (secret: string): Buffer => seal(PURPOSE, secret);
export const opened = (secret: Buffer): string => unseal(PURPOSE, secret);

export function credentialsOf(shop: StoreFacts): Credentials | undefined {
  return shop.credentials ? (JSON.parse(opened(shop.credentials)) as Credentials) : undefined;
}

export function hookSecretOf(shop: Pick<StoreFacts, 'hook_secret'>): string | undefined {
  return shop.hook_secret ? opened(shop.hook_secret) : undefined;
}

/** URL of the store's webhooks. */
export function hookUrl(accountId: number, id: number): string {
  return `${storesSettings().publicUrl}/hooks/stores/${encodePublicId('store', accountId, id)}`;
}

/**
 * Host of the platform's own address of a store (shop.myshopify.com), which its privacy requests
 * name. The keys of a disconnected store are deleted, so its host was recorded in the settings.
 */
export function platformHostOf(shop: StoreFacts): string | undefined {
  const address = credentialsOf(shop)?.address;
  if (address === undefined) return shop.settings.platform_host;
  const text = address.trim().replace(/^(?!https?:\/\/)/i, 'https://');
  return URL.canParse(text) ? new URL(text).hostname : undefined;
}
