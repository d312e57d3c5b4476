// Opens an account's own SMS providers as one pool.
import { findSmsReference } from '#areas/delivery/server/ledger/index.ts';
import type {
  Answer,
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
import { providerKey, readProviderSettings } from './own-providers.ts';
import type { ProviderListener, ProviderKinds } from './provider-kinds.ts';
import { ingestSmsEvent } from './delivery-events.ts';

export function ownSmsSenders(db: Db, kinds: ProviderKinds): OwnSmsSenders {
  return {
    async open(accountId, known) {
      const rows = (await listProviders(db, accountId)).filter((row) => row.is_on);
      const version = rows.map((row) => `${row.id}:${row.modified_at.getTime()}`).join();
      if (version === known) return { version, texts: [] };
      const opened = rows.map((row) => pooled(db, kinds, row));
      const failure = opened.find((result) => 'outcome' in result);
      const texts = opened.filter((result): result is PooledSms => !('outcome' in result));
      return { version, texts, ...(failure ? { failure } : {}) };
    },
  };
}

/** Handles events from an account's own SMS center, which affect only that account. */
function listenerOf(db: Db, accountId: number): ProviderListener {
  return {
    onEvent: (event) => ingestSmsEvent(db, 'smpp', event, accountId),
    referenceOf: (receipt) => findSmsReference(db, receipt, accountId),
  };
}

export function openOwn(db: Db, kinds: ProviderKinds, row: ProviderRow): OpenSmsRelay {
  return kinds[row.kind as ProviderKind].open(
    readProviderSettings(row),
    listenerOf(db, row.account_id),
  );
}

/**
 * Prepares a provider for the pool, or returns the reason why it cannot be opened, for example because its
 * secret cannot be decrypted.
 */
function pooled(db: Db, kinds: ProviderKinds, row: ProviderRow): PooledSms | Answer {
  let open: OpenSmsRelay;
  try {
    open = openOwn(db, kinds, row);
  } catch (error) {
    const reply = (error as Error).message;
    const details = { code: 0, enhanced: '', reply };
    const answer = { outcome: 'relay_refused', about: 'relay', at: 'connect', ...details } as const;
    reportState(db, row, { is: 'refused', retryInMs: 0, answer });
    return answer;
  }
  const numbers = row.number_limits as SmsProvider['number_limits'];
  return {
    key: providerKey(row.account_id, row.id),
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
    open,
    onState: (state) => reportState(db, row, state),
  };
}

function reportState(db: Db, row: ProviderRow, state: RelayState): void {
  const answer = state.is === 'ready' ? undefined : state.answer;
  const code = answer ? answer.enhanced || String(answer.code || '') : null;
  const health = { state: state.is, code, reply: answer?.reply ?? null, at: clock.now() };
  saveProviderHealth(db, row.account_id, row.id, health).catch((error: Error) => {
    log.warn('Could not store the health of an SMS provider', { error: error.message });
  });
}
