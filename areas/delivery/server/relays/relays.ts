// Manages an account's own relays and combines them into the pool that sends its email.
import { encodeId } from '#platform/ids.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { log } from '#platform/server/log.ts';
import {
  PrivateAddressError,
  requirePublicHost,
} from '#platform/server/outgoing/outgoing-address.ts';
import { seal, unseal } from '#platform/server/secrets.ts';
import {
  isLoopbackHost,
  MAX_RELAYS,
  type RelayHealth,
  type RelayKind,
  type RelayTls,
} from '../../relay-limits.ts';
import type { RelayView } from '../../relays-contract.ts';
import type { RateLimits } from './allowance.ts';
import { deleteAllowances } from './allowances.sql.ts';
import { readCopyFields } from '../feedback/copy-fields.ts';
import { notifySenders } from '../ledger/messages.sql.ts';
import { deliverySettings } from '../settings.ts';
import { isAmazonSes, type PooledRelay, getPaceKey } from './pooled-relay.ts';
import type { HandoffResult, RelayState } from './provider.ts';
import type { RelayKinds, RelaySettings } from './relay-kinds.ts';
import * as store from './relays.sql.ts';

const SEALED = 'relay password';
/**
 * Characters allowed in an HTTP header, which contains the access key of SES. Pasted spaces and
 * letters outside ASCII are rejected.
 */
const SES_KEY = /^[\x21-\x7e]+$/;

type RelayFields = Omit<RelayView, 'id' | 'has_password' | 'health' | 'created' | 'modified'>;
export type RelayBody = { [K in keyof RelayFields]?: RelayFields[K] | undefined } & {
  password?: string | undefined;
};

/**
 * Returns whether the account's emails stay in the built-in inbox, because it has no active relay
 * of its own.
 */
export async function findEmailsWithoutRelay(
  tx: Tx,
  { accountId }: { accountId: number },
): Promise<boolean[]> {
  if (!deliverySettings().hasInbox) return [false];
  return [!(await store.listRelays(tx, accountId)).some((relay) => relay.is_on)];
}

export async function listRelays(tx: Tx, accountId: number): Promise<RelayView[]> {
  return (await store.listRelays(tx, accountId)).map(present);
}

export async function readRelay(tx: Tx, accountId: number, id: number): Promise<RelayView> {
  const row = await store.findRelay(tx, accountId, id);
  if (!row) throw notFound();
  return present(row);
}

export async function createRelay(
  db: Db,
  accountId: number,
  body: RelayFields & { password: string },
): Promise<RelayView> {
  validateRelay(body);
  await requireHost(body.host);
  return inTransaction(db, async (tx) => {
    const at = clock.now();
    const existingRelays = await store.listRelays(tx, accountId);
    if (existingRelays.length >= MAX_RELAYS) throw new AppError('too_many_relays');
    const row = await store.insertRelay(tx, {
      account_id: accountId,
      ...(columnsOf(body) as Required<Columns>),
      sealed_password: body.password === '' ? null : seal(SEALED, body.password),
      created_at: at,
      modified_at: at,
    });
    await notifySenders(tx, accountId);
    return present(row);
  });
}

export async function updateRelay(
  db: Db,
  accountId: number,
  id: number,
  body: RelayBody,
): Promise<RelayView> {
  if (body.host !== undefined) await requireHost(body.host);
  return inTransaction(db, async (tx) => {
    const existing = await store.findRelay(tx, accountId, id);
    if (!existing) throw notFound();
    const previous = present(existing);
    validateRelay({ ...previous, ...definedFields(body) }, previous.domain_limits);
    requireNewPassword(existing, body);
    const row = await store.updateRelay(tx, accountId, id, {
      ...columnsOf(body),
      ...(body.password ? { sealed_password: seal(SEALED, body.password) } : {}),
      ...(body.username === '' ? { sealed_password: null } : {}),
      modified_at: clock.now(),
    });
    if (!row) throw notFound();
    recordChange({ before: auditedRelay(existing), after: auditedRelay(row) });
    await notifySenders(tx, accountId);
    return present(row);
  });
}

/** Returns the settings of a relay that the audit log records. */
const auditedRelay = ({ title, kind, host, port, tls }: store.RelayRow) => ({
  ...{ title, kind, host, port, tls },
});

export async function removeRelay(tx: Tx, accountId: number, id: number): Promise<void> {
  const existing = await store.findRelay(tx, accountId, id);
  if (!existing || !(await store.deleteRelay(tx, accountId, id))) throw notFound();
  recordChange({ before: auditedRelay(existing) });
  await deleteAllowances(tx, relayKey(accountId, id));
  await notifySenders(tx, accountId);
}

/**
 * @throws if host or port change without a new password, because the stored one must not be sent
 * there
 */
export function requireNewPassword(existing: store.RelayRow, body: RelayBody): void {
  const isOtherServer =
    (body.host !== undefined && body.host.toLowerCase() !== existing.host) ||
    (body.port !== undefined && body.port !== existing.port);
  if (isOtherServer && existing.sealed_password && !body.password && body.username !== '') {
    throw invalid({ password: ['errors.relay.password_again'] });
  }
}

/**
 * Validates fields in combination. Two limits for one domain or mailbox provider are rejected,
 * unless `previousLimits` already has as many of them.
 */
export function validateRelay(
  relay: RelayBody,
  previousLimits: RelayView['domain_limits'] = [],
): void {
  if (relay.tls === 'none' && !isLoopbackHost(relay.host ?? '')) {
    throw invalid({ tls: ['errors.relay.tls_none'] });
  }
  if (relay.kind === 'ses' && relay.username === '') {
    throw invalid({ username: ['errors.relay.key_required'] });
  }
  if (relay.kind === 'ses' && !SES_KEY.test(relay.username ?? '')) {
    throw invalid({ username: ['errors.relay.key_characters'] });
  }
  const previousCounts = timesLimited(previousLimits);
  for (const [pace, times] of timesLimited(relay.domain_limits ?? [])) {
    if (times > Math.max(1, previousCounts.get(pace) ?? 0)) {
      throw invalid({ domain_limits: ['errors.relay.domain_twice'] });
    }
  }
}

/**
 * Counts the limits by domain or mailbox provider. Stored limits can contain two for one provider,
 * if a later release recognizes the provider of a domain.
 */
function timesLimited(limits: RelayView['domain_limits']): Map<string, number> {
  const times = new Map<string, number>();
  for (const { domain } of limits) {
    const paceKey = getPaceKey(`@${domain}`);
    times.set(paceKey, (times.get(paceKey) ?? 0) + 1);
  }
  return times;
}

export async function requireHost(host: string): Promise<void> {
  try {
    await requirePublicHost(host);
  } catch (error) {
    const code = error instanceof PrivateAddressError ? 'relay_private' : 'relay_unknown_host';
    throw new AppError(code, { values: { host }, errors: { host: [`errors.${code}`] } });
  }
}

const definedFields = (body: RelayBody) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as RelayBody;

type Columns = Omit<Partial<store.NewRelay>, 'account_id' | 'created_at' | 'modified_at'>;

function columnsOf(body: RelayBody) {
  return definedFields({
    kind: body.kind,
    title: body.title,
    host: body.host?.toLowerCase(),
    port: body.port,
    tls: body.tls,
    username: body.username,
    connections: body.connections,
    messages_per_connection: body.messages_per_connection,
    has_chunking: body.chunking,
    per_second: body.per_second,
    per_minute: body.per_minute,
    per_hour: body.per_hour,
    per_day: body.per_day,
    domain_limits: body.domain_limits && JSON.stringify(body.domain_limits),
    priority: body.priority,
    weight: body.weight,
    is_on: body.enabled,
  } as RelayBody) as Columns;
}

function present(row: store.RelayRow): RelayView {
  const { per_second, per_minute, per_hour, per_day, priority, weight, connections } = row;
  return {
    id: encodeId('relay', row.id),
    title: row.title,
    kind: row.kind as RelayKind,
    host: row.host,
    port: row.port,
    tls: row.tls as RelayTls,
    username: row.username,
    has_password: row.sealed_password !== null,
    connections,
    messages_per_connection: row.messages_per_connection,
    chunking: row.has_chunking,
    per_second,
    per_minute,
    per_hour,
    per_day,
    domain_limits: row.domain_limits as RelayView['domain_limits'],
    priority,
    weight,
    enabled: row.is_on,
    health: {
      state: row.health as RelayHealth,
      since: row.health_since?.toISOString() ?? null,
      at: row.health_at?.toISOString() ?? null,
      code: row.health_code,
      reply: row.health_reply,
    },
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}

/** Returns the relay's password; empty if it has none. */
export function readPassword(row: store.RelayRow): string {
  return row.sealed_password ? unseal(SEALED, row.sealed_password) : '';
}

export function readRelaySettings(row: store.RelayRow): RelaySettings {
  return {
    host: row.host,
    port: row.port,
    tls: row.tls as RelayTls,
    username: row.username,
    password: readPassword(row),
    connections: row.connections,
    messages: row.messages_per_connection,
    hasChunking: row.has_chunking,
  };
}

/**
 * Returns the account's active relays and their version. If the version is still `knownVersion`,
 * `relays` is empty, and the open pool stays valid. `failure` is the reason why a relay cannot be
 * opened.
 */
export async function openOwnPool(
  db: Db,
  kinds: RelayKinds,
  accountId: number,
  knownVersion?: string,
): Promise<{ relays: PooledRelay[]; version: string; failure?: HandoffResult }> {
  const rows = (await store.listRelays(db, accountId)).filter((row) => row.is_on);
  const version = rows.map((row) => `${row.id}:${row.modified_at.getTime()}`).join();
  if (version === knownVersion) return { version, relays: [] };
  const openedRelays = rows.map((row) => openPooled(db, kinds, row));
  const failure = openedRelays.find((result) => 'outcome' in result);
  const relays = openedRelays.filter((result): result is PooledRelay => !('outcome' in result));
  return { version, relays, ...(failure ? { failure } : {}) };
}

/**
 * Prepares a relay for a pool, or returns the reason why it cannot be opened, such as an unreadable
 * password.
 */
function openPooled(db: Db, kinds: RelayKinds, row: store.RelayRow): PooledRelay | HandoffResult {
  let openRelay: PooledRelay['open'];
  try {
    openRelay = kinds[row.kind as RelayKind].open(readRelaySettings(row));
  } catch (error) {
    const reply = (error as Error).message;
    const details = { code: 0, enhancedCode: '', reply };
    const result = {
      outcome: 'relay_refused',
      scope: 'relay',
      step: 'connect',
      ...details,
    } as const;
    saveState(db, row, { kind: 'refused', retryInMs: 0, result });
    return result;
  }
  // The first of two limits for one mailbox provider applies, so the stricter one must be first.
  const limits = (row.domain_limits as RelayView['domain_limits']).toSorted(
    (limit, otherLimit) => limit.per_minute - otherLimit.per_minute,
  );
  return {
    key: relayKey(row.account_id, row.id),
    priority: row.priority,
    weight: row.weight,
    limits: readRelayLimits(row),
    domainLimits: new Map(limits.map((limit) => [limit.domain, { perMinute: limit.per_minute }])),
    signsMessages: row.kind === 'ses' || isAmazonSes(row.host),
    fields: readCopyFields(row.host),
    open: openRelay,
    onState: (state) => saveState(db, row, state),
  };
}

/** Returns the key of the relay's allowance. */
export function relayKey(accountId: number, id: number): string {
  return `account/${accountId}/${id}`;
}

export function readRelayLimits(row: store.RelayRow): RateLimits {
  const { per_second: perSecond, per_minute: perMinute, per_hour: perHour, per_day: perDay } = row;
  return { perSecond, perMinute, perHour, perDay };
}

function saveState(db: Db, row: store.RelayRow, state: RelayState): void {
  const result = state.kind === 'ready' ? undefined : state.result;
  const code = result ? result.enhancedCode || String(result.code || '') : null;
  const health = { state: state.kind, code, reply: result?.reply ?? null, at: clock.now() };
  store.saveHealth(db, row.account_id, row.id, health).catch((error: Error) => {
    log.warn('Could not store the health of a relay', { reason: error.message });
  });
}
