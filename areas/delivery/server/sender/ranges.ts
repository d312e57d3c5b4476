// The ranges of the ledger that a sender leases: one open range per lane of a message, so that
// while a mailbox provider throttles one lane the other lanes continue.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Memberships } from '#areas/content/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import type { ActiveMessage } from './active-message.ts';
import { isolateMessage } from '../ledger/isolate-message.ts';
import { LEASE_MS } from './lease-keeper.ts';
import { MAILBOX_LANES } from '../ledger/lanes.ts';
import * as ledger from '../ledger/ledger.sql.ts';
import { addMemberships } from './memberships.ts';
import type { Scope } from '../ledger/open-messages.sql.ts';
import { RangeLease, toRangeHandoffs, type LedgerHandoff } from './sending.ts';

/** Number of handoffs that may start in a lane; `requested` is the number that could start. */
export type LaneCapacity = (lane: number, requested?: number) => number;

/**
 * A leased range with handoffs to start, if any; `fullMailboxes` lists the mailbox providers
 * without capacity.
 */
export type RangeSearch = { lease?: RangeLease; fullMailboxes: readonly number[] };

/** Handoffs created per turn of the event loop. Their creation takes about 0.1 ms. */
const HANDOFFS_PER_TURN = 24;

export class RangeQueue {
  /** Leases by the key of their message. A lease retains its message object after a reload. */
  private readonly leasesByMessage = new Map<string, Set<RangeLease>>();
  private readonly db: Db;
  private readonly owner: string;
  private readonly scope: Scope;

  constructor(db: Db, owner: string, scope: Scope) {
    this.db = db;
    this.scope = scope;
    this.owner = owner;
  }

  /**
   * Yields all leased ranges: ranges with unanswered handoffs or open recipients, and ranges to be
   * released.
   */
  *allLeases(): Generator<RangeLease> {
    for (const leases of this.leasesByMessage.values()) yield* leases;
  }

  hasLeases(key: string): boolean {
    return this.leasesByMessage.has(key);
  }

  /** Messages with a leased range to continue. A poll of the ledger may omit them. */
  messages(): Set<ActiveMessage> {
    return new Set([...this.allLeases()].filter(isOpen).map((lease) => lease.message));
  }

  /**
   * Returns a leased range to continue, or leases a new one, in a lane with capacity that is not in
   * `closedLanes`. The lease may have an older object of the message.
   */
  async next(
    message: ActiveMessage,
    size: number,
    capacityOf: LaneCapacity,
    closedLanes: readonly number[] = [],
  ): Promise<RangeSearch> {
    const blockedLanes = [...closedLanes];
    const now = clock.now();
    for (const lease of this.leasesByMessage.get(message.key) ?? []) {
      // The wave has closed; the rest of the range is released and waits until the wave is
      // rescheduled.
      if (lease.closesAt !== null && lease.closesAt <= now) lease.isClosing = true;
      if (!isOpen(lease)) continue;
      const remaining = lease.to - lease.startedTo;
      if (!lease.isHalted && capacityOf(lease.lane, remaining) > 0) {
        return { lease, fullMailboxes: [] };
      }
      blockedLanes.push(lease.lane);
    }
    const leasedUntil = new Date(now.getTime() + LEASE_MS);
    const { owner, scope } = this;
    // Checks once per mailbox provider: a message with 40 waves has 3,900 lanes.
    const fullMailboxes = MAILBOX_LANES.filter((lane) => capacityOf(lane) <= 0);
    const request = {
      ...{ scope, size, owner, now, leasedUntil },
      ...{ excludedLanes: blockedLanes, fullMailboxes },
    };
    const row = await inTransaction(this.db, (tx) =>
      ledger.leaseRange(tx, message.accountId, message.id, request),
    );
    if (!row) return { fullMailboxes };
    const lease = new RangeLease(message, row);
    const leases = this.leasesByMessage.get(message.key);
    if (leases) leases.add(lease);
    else this.leasesByMessage.set(message.key, new Set([lease]));
    return { lease, fullMailboxes };
  }

  private dropLease(lease: RangeLease): void {
    const { key } = lease.message;
    const leases = this.leasesByMessage.get(key);
    leases?.delete(lease);
    if (leases?.size === 0) this.leasesByMessage.delete(key);
  }

  /**
   * Starts up to `count` handoffs of a range; none if the lease was lost or the message was
   * stopped.
   */
  async startHandoffs(lease: RangeLease, count: number, now: Date): Promise<LedgerHandoff[]> {
    const { message, lane, from, startedTo: after } = lease;
    const lastOrdinal = Math.min(lease.to, after + count);
    const range = { lane, from, after, lastOrdinal };
    const step = this.getStepOptions(message, now);
    lease.isStarting = true;
    try {
      const { rows, memberships } = await addMemberships(this.db, message, (db) =>
        ledger.startRange(db, message.accountId, message.id, range, step),
      );
      if (rows.length === 0) {
        lease.isClosing = true;
        return [];
      }
      // The lease is updated last: if creating handoffs fails, its handoffs are settled as if the
      // response to the commit was lost.
      const handoffs = await this.createHandoffs(lease, rows, now, memberships);
      lease.startedTo = lastOrdinal;
      lease.unwrittenCount += rows.length;
      return handoffs;
    } finally {
      lease.isStarting = false;
    }
  }

  /**
   * Creates a few handoffs per turn of the event loop, so that relays with capacity do not wait for
   * the whole step.
   */
  private async createHandoffs(
    lease: RangeLease,
    rows: readonly ledger.StartedRow[],
    now: Date,
    memberships: Memberships,
  ): Promise<LedgerHandoff[]> {
    const handoffs: LedgerHandoff[] = [];
    for (let i = 0; i < rows.length; i += HANDOFFS_PER_TURN) {
      if (i > 0) await nextTurn();
      const batch = rows.slice(i, i + HANDOFFS_PER_TURN);
      handoffs.push(...toRangeHandoffs(lease, batch, now, memberships));
    }
    return handoffs;
  }

  getStepOptions(message: ActiveMessage, now: Date): ledger.StepOptions {
    const leasedUntil = new Date(now.getTime() + LEASE_MS);
    const { isMarketing, needsFields } = message;
    const { channel } = message.kindRules;
    const { owner, scope } = this;
    return { owner, scope, now, leasedUntil, channel, isMarketing, needsFields };
  }

  /** Starts no more handoffs of this message's ranges, so that they are released. */
  close(key: string): void {
    for (const lease of this.leasesByMessage.get(key) ?? []) lease.isClosing = true;
  }

  closeAll(): void {
    for (const lease of this.allLeases()) lease.isClosing = true;
  }

  /** Releases closed ranges and drops completed ones, once all their handoffs are answered. */
  async releaseRanges(): Promise<void> {
    for (const lease of [...this.allLeases()]) {
      const { message, lane, from, to, startedTo } = lease;
      if (lease.unwrittenCount > 0 || lease.isStarting) continue;
      if (startedTo < to && !lease.isClosing) continue;
      const range = { lane, from, to, startedTo };
      await isolateMessage(message.ref, 'Could not release a leased range', async () => {
        if (startedTo < to) {
          await inTransaction(this.db, (tx) =>
            ledger.releaseRange(tx, message.accountId, message.id, range, this.owner),
          );
        }
        this.dropLease(lease);
      });
    }
  }
}

const isOpen = (lease: RangeLease) => lease.startedTo < lease.to && !lease.isClosing;
