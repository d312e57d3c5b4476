// Applies the limits of sending domains at mailbox providers in one sender. Each limit is an
// allowance that all senders share; a sender draws slices of it in advance, so no handoff waits for
// a query. Limits are read with their message, and again after a notification. Retries of a
// message's recipients are counted but never wait; transactional email is not counted. Also changes
// the limits.
import { parseSenderDomain } from '#areas/domains/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { mailboxOfLane, MAX_WAVES, TIER, WAVE } from '../ledger/lanes.ts';
import { notifyReload } from '../ledger/messages.sql.ts';
import { QuotaLease } from '../relays/quota-lease.ts';
import type { ActiveMessage } from '../sender/active-message.ts';
import type { LedgerHandoff } from '../sender/sending.ts';
import * as store from './provider-caps.sql.ts';

/** Minimum delay of single sends that exceed a limit. */
const MIN_WAIT_MS = 60_000;

type CappedRow = { recipient: string };

export class ProviderCaps {
  private readonly db: Db;
  private readonly onCapacity: (mailbox: number) => void;
  private readonly leases = new Map<string, QuotaLease>();

  /** `onCapacity` runs when a mailbox provider has capacity again. */
  constructor(db: Db, onCapacity: (mailbox: number) => void) {
    this.db = db;
    this.onCapacity = onCapacity;
  }

  /** Returns how many handoffs may start in a lane; infinite without a limit. */
  capacityFor(message: ActiveMessage, lane: number, requested?: number): number {
    const cap = message.providerCaps?.get(mailboxOfLane(lane));
    if (!cap) return Number.POSITIVE_INFINITY;
    if (cap.isEngagedOnly && isSecondTier(lane)) return 0;
    return this.getLease(message, mailboxOfLane(lane))?.getAvailable(requested) ?? Infinity;
  }

  /**
   * Returns the lanes of less engaged subscribers at mailbox providers that are limited to engaged
   * ones; they must wait although the provider has capacity.
   */
  listClosedLanes(message: ActiveMessage): number[] {
    const closedLanes: number[] = [];
    for (const [mailbox, { isEngagedOnly }] of message.providerCaps ?? []) {
      if (!isEngagedOnly) continue;
      for (let wave = 0; wave <= MAX_WAVES; wave++) closedLanes.push(wave * WAVE + TIER + mailbox);
    }
    return closedLanes;
  }

  /** Counts started handoffs of the message's recipients. */
  countStarted(message: ActiveMessage, handoffs: readonly LedgerHandoff[]): void {
    if (!message.providerCaps || message.providerCaps.size === 0) return;
    for (const { row, skipReason } of handoffs) {
      if (skipReason === '' && row.kind !== 'singles') {
        this.getLease(message, mailboxOfLane(row.lane))?.charge(1);
      }
    }
  }

  /**
   * Decides which of these single sends may be handed off now, and until when all others wait.
   */
  acquireFor<Row extends CappedRow>(
    message: ActiveMessage,
    rows: readonly Row[],
    laneOf: (row: Row) => number,
  ) {
    const grantedRows: Row[] = [];
    const lateRows: Row[] = [];
    let waitMs = MIN_WAIT_MS;
    for (const row of rows) {
      const lease = this.getLease(message, laneOf(row));
      if (!lease || lease.take()) grantedRows.push(row);
      else {
        lateRows.push(row);
        waitMs = Math.max(waitMs, lease.waitMs);
      }
    }
    return {
      granted: grantedRows,
      late: lateRows,
      until: new Date(clock.now().getTime() + waitMs),
    };
  }

  async close(): Promise<void> {
    for (const lease of this.leases.values()) await lease.close();
  }

  private getLease(message: ActiveMessage, mailbox: number): QuotaLease | undefined {
    const perHour = message.providerCaps?.get(mailbox)?.perHour;
    if (perHour === undefined || perHour === null) return undefined;
    const { accountId, from } = message;
    const key = store.capKey({ accountId, domain: parseSenderDomain(from), mailbox });
    const existing = this.leases.get(key);
    if (existing?.limits.perHour === perHour) return existing;
    if (existing) void existing.close();
    const callbacks = { onCapacity: () => this.onCapacity(mailbox), countDemand: () => 1 };
    const lease = new QuotaLease(this.db, key, { perHour }, callbacks);
    this.leases.set(key, lease);
    return lease;
  }
}

const isSecondTier = (lane: number) => lane % WAVE >= TIER;

export const readProviderCaps = (db: Reader, accountId: number, from: string) =>
  store.readProviderCaps(db, accountId, parseSenderDomain(from));

/**
 * Sets or removes a limit and notifies all senders so that the change takes effect immediately.
 */
export async function setProviderCap(
  tx: Tx,
  accountId: number,
  domainMailbox: { domain: string; mailbox: number },
  cap: store.ProviderCap | undefined,
): Promise<void> {
  if (cap) await store.putProviderCap(tx, accountId, domainMailbox, { ...cap, at: clock.now() });
  else await store.deleteProviderCap(tx, accountId, domainMailbox.domain, domainMailbox.mailbox);
  await notifyReload(tx, { accountId });
}
