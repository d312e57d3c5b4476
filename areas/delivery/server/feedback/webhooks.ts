// Manages an account's webhooks for reports from email providers. An address contains the account
// and generation with a keyed tag, so it is not stored and can be shown at any time.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { invalid } from '#platform/server/errors.ts';
import { deriveKey, seal, unseal } from '#platform/server/secrets.ts';
import type { ProviderWebhook } from '../../provider-hooks-contract.ts';
import type { HookProvider } from '../../webhooks-limits.ts';
import type { HookReader } from './hook-provider.ts';
import {
  findWebhook,
  findWebhooks,
  incrementGeneration,
  saveKey,
  type WebhookRow,
} from './webhooks.sql.ts';

export type Hooks = { readers: readonly HookReader[]; publicUrl: string };

const ADDRESS_PURPOSE = 'webhook addresses';
const KEY_PURPOSE = 'webhook signing keys';
const PAYLOAD_BYTES = 10;
const TAG_BYTES = 17;

function tagOf(payload: Buffer, provider: string): Buffer {
  const hash = createHmac('sha256', deriveKey(ADDRESS_PURPOSE))
    .update(payload)
    .update(provider)
    .digest();
  return hash.subarray(0, TAG_BYTES);
}

function tokenOf(accountId: number, provider: string, generation: number): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeUIntBE(accountId, 0, 6);
  payload.writeUInt32BE(generation, 6);
  return Buffer.concat([payload, tagOf(payload, provider)]).toString('base64url');
}

/** Reads the token of a webhook's address; undefined if this installation did not issue it. */
export function readHookToken(
  token: string,
  provider: string,
): { accountId: number; generation: number } | undefined {
  if (!/^[A-Za-z0-9_-]{36}$/.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const payload = bytes.subarray(0, PAYLOAD_BYTES);
  if (!timingSafeEqual(bytes.subarray(PAYLOAD_BYTES), tagOf(payload, provider))) return undefined;
  return { accountId: payload.readUIntBE(0, 6), generation: payload.readUInt32BE(6) };
}

/** Reads the current generation of a webhook's address, and the signing key. */
export async function readWebhook(
  db: Reader,
  accountId: number,
  provider: string,
): Promise<{ generation: number; key: string | undefined }> {
  const row = await findWebhook(db, accountId, provider);
  return { generation: row?.generation ?? 1, key: keyOf(row) };
}

const keyOf = (row: WebhookRow | undefined) =>
  row?.sealed_key ? unseal(KEY_PURPOSE, row.sealed_key) : undefined;

export async function listWebhooks(db: Reader, accountId: number, hooks: Hooks) {
  const rows = new Map((await findWebhooks(db, accountId)).map((row) => [row.provider, row]));
  return hooks.readers.map((reader) =>
    present(accountId, reader, rows.get(reader.provider), hooks.publicUrl),
  );
}

function present(
  accountId: number,
  { provider, key }: HookReader,
  row: WebhookRow | undefined,
  publicUrl: string,
): ProviderWebhook {
  const token = tokenOf(accountId, provider, row?.generation ?? 1);
  return {
    provider,
    url: `${publicUrl}/hooks/${provider}/${token}`,
    key,
    has_key: Boolean(row?.sealed_key),
    shown_key: key === 'offered' ? (keyOf(row) ?? null) : null,
    last_event: row?.last_event_at?.toISOString() ?? null,
  };
}

export async function setWebhookKey(
  tx: Tx,
  accountId: number,
  provider: HookProvider,
  key: string | null,
  hooks: Hooks,
): Promise<ProviderWebhook> {
  const reader = readerOf(hooks, provider);
  const fault = key === null ? undefined : reader.findKeyFault(key);
  if (fault) throw invalid({ signing_key: [`errors.${fault}`] });
  await storeKey(tx, accountId, provider, key, false);
  return present(accountId, reader, await findWebhook(tx, accountId, provider), hooks.publicUrl);
}

export async function storeKey(
  tx: Tx,
  accountId: number,
  provider: HookProvider,
  key: string | null,
  isConfirmed: boolean,
): Promise<void> {
  const at = clock.now();
  const sealedKey = key === null ? null : seal(KEY_PURPOSE, key);
  await saveKey(tx, accountId, provider, {
    sealed: sealedKey,
    confirmedAt: isConfirmed ? at : null,
    at,
  });
}

export async function renewWebhook(
  tx: Tx,
  accountId: number,
  provider: HookProvider,
  hooks: Hooks,
): Promise<ProviderWebhook> {
  await incrementGeneration(tx, accountId, provider, clock.now());
  const row = await findWebhook(tx, accountId, provider);
  return present(accountId, readerOf(hooks, provider), row, hooks.publicUrl);
}

function readerOf(hooks: Hooks, provider: HookProvider): HookReader {
  const reader = hooks.readers.find((reader) => reader.provider === provider);
  if (!reader) throw new Error(`No reader for webhooks of ${provider}`);
  return reader;
}
