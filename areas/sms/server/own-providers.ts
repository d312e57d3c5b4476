// Lists, creates, updates and removes an account's own SMS providers.

import { accountHasOwnSenders, sendersChanged } from '#areas/delivery/server/sender/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import {
  PrivateAddressError,
  requirePublicHost,
} from '#platform/server/outgoing/outgoing-address.ts';
import { generateSecret, seal, unseal } from '#platform/server/secrets.ts';
import type { SmsProvider } from '../providers-contract.ts';
import {
  PROVIDER_PROPERTIES,
  MAX_PROVIDERS,
  type ProviderHealth,
  type ProviderKind,
  SINCH_HOSTS,
} from '../providers-limits.ts';
import { buildInboundUrl } from './own-hooks.ts';
import * as store from './own-providers.sql.ts';
import type { ProviderSettings } from './provider-kinds.ts';

const SEALED = 'sms provider secret';
const SEALED_HOOK = 'sms provider hook key';
/**
 * Characters allowed in an HTTP header. Pasted whitespace and letters outside ASCII are rejected.
 */
const KEY = /^[\x21-\x7e]+$/;
const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;

type ProviderFields = Omit<
  SmsProvider,
  'id' | 'kind' | 'has_hook_key' | 'inbound_url' | 'health' | 'created' | 'modified'
>;
type ProviderSecrets = { secret: string; hook_key: string };
export type ProviderBody = {
  [K in keyof (ProviderFields & ProviderSecrets)]?:
    | (ProviderFields & ProviderSecrets)[K]
    | undefined;
};

export async function listOwnProviders(
  db: Reader,
  accountId: number,
  publicUrl: string,
): Promise<SmsProvider[]> {
  return (await store.listProviders(db, accountId)).map((row) => presentProvider(row, publicUrl));
}

export async function getProviderRow(
  db: Reader,
  accountId: number,
  id: number,
): Promise<store.ProviderRow> {
  const row = await store.findProvider(db, accountId, id);
  if (!row) throw notFound();
  return row;
}

export async function createOwnProvider(
  db: Db,
  accountId: number,
  { kind, ...body }: ProviderFields & ProviderSecrets & { kind: ProviderKind },
  publicUrl: string,
): Promise<SmsProvider> {
  checkBody(kind, body);
  if (body.secret === '') throw invalid({ secret: ['errors.text_provider.secret_required'] });
  const { hookKey } = PROVIDER_PROPERTIES[kind];
  if (hookKey === 'given' && body.hook_key === '') {
    throw invalid({ hook_key: ['errors.text_provider.hook_key_required'] });
  }
  await requireHost(body.host);
  // If the provider does not sign its webhooks, a random key authenticates them.
  const key = hookKey === 'made' ? generateSecret() : body.hook_key;
  return inTransaction(db, async (tx) => {
    const existingProviders = await store.listProviders(tx, accountId);
    if (existingProviders.length >= MAX_PROVIDERS) throw new AppError('too_many_text_providers');
    const at = clock.now();
    const row = await store.insertProvider(tx, {
      ...(toColumns(body) as Required<Columns>),
      ...{ account_id: accountId, kind, created_at: at, modified_at: at },
      sealed_secret: seal(SEALED, body.secret),
      sealed_hook_key: key === '' ? null : seal(SEALED_HOOK, key),
    });
    await sendersChanged(tx, accountId);
    return presentProvider(row, publicUrl);
  });
}

export async function updateOwnProvider(
  db: Db,
  accountId: number,
  id: number,
  body: ProviderBody,
  publicUrl: string,
): Promise<SmsProvider> {
  if (body.host !== undefined) await requireHost(body.host);
  return inTransaction(db, async (tx) => {
    const existing = await getProviderRow(tx, accountId, id);
    checkBody(existing.kind as ProviderKind, {
      ...presentProvider(existing, publicUrl),
      ...omitUndefined(body),
    });
    requireSecretIfMoved(existing, body);
    const row = await store.updateProvider(tx, accountId, id, {
      ...toColumns(body),
      ...(body.secret ? { sealed_secret: seal(SEALED, body.secret) } : {}),
      ...(body.hook_key ? { sealed_hook_key: seal(SEALED_HOOK, body.hook_key) } : {}),
      modified_at: clock.now(),
    });
    if (!row) throw notFound();
    await sendersChanged(tx, accountId);
    return presentProvider(row, publicUrl);
  });
}

export async function removeOwnProvider(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await store.deleteProvider(tx, accountId, id))) throw notFound();
  await sendersChanged(tx, accountId, createProviderKey(accountId, id));
}

/** Returns the key of the provider's allowance. */
export const createProviderKey = (accountId: number, id: number) =>
  `account/${accountId}/sms/${id}`;

/** Returns 'own' if the account sends through its own providers, otherwise `shared`. */
export async function resolveProvider(
  db: Reader,
  accountId: number,
  shared: string,
): Promise<string> {
  return (await accountHasOwnSenders(db, 'sms', accountId)) ? 'own' : shared;
}

/**
 * @throws if host or port change or TLS is turned off, and the secret is not entered again: a user
 *   could otherwise send the stored secret to their own server
 */
function requireSecretIfMoved(existing: store.ProviderRow, body: ProviderBody): void {
  const isElsewhere =
    (body.host !== undefined && body.host.toLowerCase() !== existing.host) ||
    (body.port !== undefined && body.port !== existing.port) ||
    (body.tls === false && existing.is_tls);
  if (isElsewhere && !body.secret) {
    throw invalid({ secret: ['errors.text_provider.secret_again'] });
  }
}

/** Validates fields in combination. */
function checkBody(kind: ProviderKind, body: ProviderBody): void {
  const { host, hasUser } = PROVIDER_PROPERTIES[kind];
  const { username = '', secret = '', host: customHost = '' } = body;
  if (hasUser && username === '') {
    throw invalid({ username: ['errors.text_provider.username_required'] });
  }
  const isHttp = kind !== 'smpp';
  if (isHttp && username !== '' && !KEY.test(username)) {
    throw invalid({ username: ['errors.text_provider.key_characters'] });
  }
  if (isHttp && secret !== '' && !KEY.test(secret)) {
    throw invalid({ secret: ['errors.text_provider.key_characters'] });
  }
  const isValid =
    host === 'own'
      ? HOST.test(customHost)
      : host === 'chosen'
        ? (SINCH_HOSTS as readonly string[]).includes(customHost)
        : customHost === '';
  if (!isValid) throw invalid({ host: ['errors.text_provider.host'] });
  const numbers = (body.number_limits ?? []).map(({ number }) => number);
  if (new Set(numbers).size < numbers.length) {
    throw invalid({ number_limits: ['errors.text_provider.number_twice'] });
  }
}

async function requireHost(host: string): Promise<void> {
  if (host === '') return;
  try {
    await requirePublicHost(host);
  } catch (error) {
    const isPrivate = error instanceof PrivateAddressError;
    const code = isPrivate ? 'text_provider_private' : 'text_provider_unknown_host';
    throw new AppError(code, { values: { host }, errors: { host: [`errors.${code}`] } });
  }
}

const omitUndefined = (body: object) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

type Columns = Omit<
  Partial<store.NewProvider>,
  'account_id' | 'kind' | 'sealed_secret' | 'sealed_hook_key' | 'created_at' | 'modified_at'
>;

function toColumns(body: ProviderBody): Columns {
  return omitUndefined({
    title: body.title,
    host: body.host?.toLowerCase(),
    port: body.port,
    is_tls: body.tls,
    username: body.username,
    profile: body.profile,
    alphabet: body.alphabet,
    connections: body.connections,
    per_second: body.per_second,
    per_minute: body.per_minute,
    per_hour: body.per_hour,
    per_day: body.per_day,
    number_limits: body.number_limits && JSON.stringify(body.number_limits),
    priority: body.priority,
    weight: body.weight,
    is_on: body.enabled,
  });
}

export function presentProvider(row: store.ProviderRow, publicUrl: string): SmsProvider {
  const { title, host, port, username, profile, connections, priority, weight } = row;
  const { per_second, per_minute, per_hour, per_day } = row;
  return {
    id: encodeId('text_provider', row.id),
    kind: row.kind as ProviderKind,
    ...{ title, host, port, username, profile, connections, priority, weight },
    ...{ per_second, per_minute, per_hour, per_day },
    tls: row.is_tls,
    alphabet: row.alphabet as SmsProvider['alphabet'],
    number_limits: row.number_limits as SmsProvider['number_limits'],
    enabled: row.is_on,
    has_hook_key: row.sealed_hook_key !== null,
    inbound_url: buildInboundUrl(publicUrl, row, getHookKey(row)),
    health: {
      state: row.health as ProviderHealth,
      since: row.health_since?.toISOString() ?? null,
      at: row.health_at?.toISOString() ?? null,
      code: row.health_code,
      reply: row.health_reply,
    },
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}

/** Returns the key that authenticates the provider's webhooks; empty if it needs none. */
export function getHookKey(row: store.ProviderRow): string {
  const { hookKey } = PROVIDER_PROPERTIES[row.kind as ProviderKind];
  if (hookKey === 'secret') return unseal(SEALED, row.sealed_secret);
  return row.sealed_hook_key ? unseal(SEALED_HOOK, row.sealed_hook_key) : '';
}

export function readProviderSettings(row: store.ProviderRow): ProviderSettings {
  const { host, port, username, profile, connections } = row;
  return {
    ...{ host, port, username, profile, connections },
    isTls: row.is_tls,
    secret: unseal(SEALED, row.sealed_secret),
    hookKey: getHookKey(row),
    alphabet: row.alphabet as ProviderSettings['alphabet'],
  };
}
