// URLs where accounts' own providers report incoming SMS. A URL contains account, provider and a
// keyed tag, so it is not stored and can be shown at any time.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '#platform/server/secrets.ts';
import { PROVIDER_PROPERTIES, type ProviderKind } from '../providers-limits.ts';
import type { ProviderRow } from './own-providers.sql.ts';

const PURPOSE = 'sms provider addresses';
const FACT_BYTES = 12;
const TAG_BYTES = 15;

const createTag = (payload: Buffer) =>
  createHmac('sha256', deriveKey(PURPOSE)).update(payload).digest().subarray(0, TAG_BYTES);

function createToken(accountId: number, id: number): string {
  const payload = Buffer.alloc(FACT_BYTES);
  payload.writeUIntBE(accountId, 0, 6);
  payload.writeUIntBE(id, 6, 6);
  return Buffer.concat([payload, createTag(payload)]).toString('base64url');
}

/**
 * Returns the account and provider in a token, or undefined if this installation did not issue it.
 */
export function readInboundToken(token: string): { accountId: number; id: number } | undefined {
  if (!/^[A-Za-z0-9_-]{36}$/.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const payload = bytes.subarray(0, FACT_BYTES);
  if (!timingSafeEqual(bytes.subarray(FACT_BYTES), createTag(payload))) return undefined;
  return { accountId: payload.readUIntBE(0, 6), id: payload.readUIntBE(6, 6) };
}

/**
 * Returns the URL for incoming SMS, or null for SMPP providers, which report them over the
 * connection through which the product sends SMS.
 */
export function buildInboundUrl(publicUrl: string, row: ProviderRow, key: string): string | null {
  const { hookKey } = PROVIDER_PROPERTIES[row.kind as ProviderKind];
  if (hookKey === 'none') return null;
  const address = `${publicUrl}/hooks/sms/inbound/${createToken(row.account_id, row.id)}`;
  // If the provider does not sign requests, the key in the URL authenticates them.
  return hookKey === 'made' ? `${address}?key=${encodeURIComponent(key)}` : address;
}
