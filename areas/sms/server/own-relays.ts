// Opens an account's own SMS providers as one pool.
import { findSmsReference } from '#areas/delivery/server/ledger/index.ts';
import type {
  HandoffResult,
  OpenSmsRelay,
  OwnSmsSenders,
  PooledSms,
  RelayState,
} from '#areas/delivery/server/sender/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import type { SmsProvider } from '../providers-contract.ts';
import type { ProviderKind } from '../providers-limits.ts';
import { listProviders, type ProviderRow, saveProviderHealth } from './own-providers.sql.ts';
import { createProviderKey, readProviderSettings } from './own-providers.ts';
import type { ProviderListener, ProviderKinds } from './provider-kinds.ts';
import { ingestSmsEvent } from './delivery-events.ts';

export function createOwnSmsSenders(db: Db, providerKinds: ProviderKinds): OwnSmsSenders {
  return {
    async open(accountId, knownVersion) {
      const rows = (await listProviders(db, accountId)).filter((row) => row.is_on);
      const version = rows.map((row) => `${row.id}:${row.modified_at.getTime()}`).join();
      if (version === knownVersion) return { version, providers: [] };
      const openResults = rows.map((row) => openPooled(db, providerKinds, row));
      const failure = openResults.find((result) => 'outcome' in result);
      const openedProviders = openResults.filter(
        (result): result is PooledSms => !('outcome' in result),
      );
      return { version, providers: openedProviders, ...(failure ? { failure } : {}) };
    },
  };
}

/** Handles events from an account's own SMS center, which affect only that account. */
function createListener(db: Db, accountId: number): ProviderListener {
  return {
    onEvent: (event) => ingestSmsEvent(db, 'smpp', event, accountId),
    findReference: (receipt) => findSmsReference(db, receipt, accountId),
  };
}

export function openOwnRelay(db: Db, providerKinds: ProviderKinds, row: ProviderRow): OpenSmsRelay {
  return providerKinds[row.kind as ProviderKind].openRelay(
    readProviderSettings(row),
    createListener(db, row.account_id),
  );
}

/**
 * Prepares a provider for the pool, or returns the reason why it cannot be opened, for example
 * because its secret cannot be decrypted.
 */
function openPooled(
  db: Db,
  providerKinds: ProviderKinds,
  row: ProviderRow,
): PooledSms | HandoffResult {
  let openRelay: OpenSmsRelay;
  try {
    openRelay = openOwnRelay(db, providerKinds, row);
  } catch (error) {
    const reply = (error as Error).message;
    const details = { code: 0, enhancedCode: '', reply };
    const refusal = {
      outcome: 'relay_refused',
      scope: 'relay',
      step: 'connect',
      ...details,
    } as const;
    reportState(db, row, { kind: 'refused', retryInMs: 0, result: refusal });
    return refusal;
  }
  const numbers = row.number_limits as SmsProvider['number_limits'];
  return {
    key: createProviderKey(row.account_id, row.id),
    priority: row.priority,
    weight: row.weight,
    limits: {
      perSecond: row.per_second,
      perMinute: row.per_minute,
      perHour: row.per_hour,
      perDay: row.per_day,
    },
    numberLimits: new Map(
      numbers.map((number) => [number.number, { perMinute: number.per_minute }]),
    ),
    open: openRelay,
    onState: (state) => reportState(db, row, state),
  };
}

function reportState(db: Db, row: ProviderRow, state: RelayState): void {
  const reply = state.kind === 'ready' ? undefined : state.result;
  const code = reply ? reply.enhancedCode || String(reply.code || '') : null;
  const health = { state: state.kind, code, reply: reply?.reply ?? null, at: clock.now() };
  saveProviderHealth(db, row.account_id, row.id, health).catch((error: Error) => {
    log.warn('Could not store the health of an SMS provider', { reason: error.message });
  });
}
