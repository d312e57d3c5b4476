// Queue of started handoffs that wait for a connection: urgent single sends first, then all others
// in the order of their start. An urgent handoff whose signature is not ready blocks the urgent
// handoffs behind it, and any other such handoff blocks the non-urgent ones behind it.
import type { ActiveMessage } from './active-message.ts';
import { mailboxOfLane } from '../ledger/lanes.ts';
import type { LedgerHandoff } from './sending.ts';

const mayUseReserve = (handoff: LedgerHandoff) => handoff.mayUseReserve;

export class SendingQueue {
  private singles: LedgerHandoff[] = [];
  private items: LedgerHandoff[] = [];
  private head = 0;

  get size(): number {
    return this.singles.length + this.items.length - this.head;
  }

  get urgentCount(): number {
    return this.singles.length;
  }

  push(handoffs: readonly LedgerHandoff[]): void {
    if (this.head > 0) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    for (const handoff of handoffs) this.items.push(handoff);
  }

  pushUrgent(handoffs: readonly LedgerHandoff[]): void {
    this.singles.push(...handoffs);
  }

  /** Whether `shift` would return a handoff. */
  get isReady(): boolean {
    return this.singles[0]?.isReady === true || this.items[this.head]?.isReady === true;
  }

  /**
   * Returns the number of waiting handoffs (with `isReserveOnly`, only of those that may use the
   * reserve); 0 if `shift` would return none.
   */
  countReady(isReserveOnly = false): number {
    if (!isReserveOnly) return this.isReady ? this.size : 0;
    const permittedHandoffs = this.singles.filter(mayUseReserve);
    return permittedHandoffs[0]?.isReady ? permittedHandoffs.length : 0;
  }

  /** Removes and returns the next handoff; undefined while none is ready. */
  shift(isReserveOnly = false): LedgerHandoff | undefined {
    if (isReserveOnly) {
      const index = this.singles.findIndex(mayUseReserve);
      return this.singles[index]?.isReady ? this.singles.splice(index, 1)[0] : undefined;
    }
    if (this.singles[0]?.isReady) return this.singles.shift();
    return this.items[this.head]?.isReady ? this.items[this.head++] : undefined;
  }

  /** Counts waiting handoffs to a mailbox provider, excluding single sends. */
  countWaiting(mailbox: number): number {
    let count = 0;
    for (let i = this.head; i < this.items.length; i++) {
      const { row } = this.items[i] as LedgerHandoff;
      if (row.kind !== 'singles' && mailboxOfLane(row.lane) === mailbox) count++;
    }
    return count;
  }

  /** Removes and returns matching handoffs, in order. */
  remove(matches: (handoff: LedgerHandoff) => boolean): LedgerHandoff[] {
    const waiting = [...this.singles, ...this.items.slice(this.head)];
    const removedHandoffs = waiting.filter(matches);
    this.singles = this.singles.filter((handoff) => !matches(handoff));
    this.items = this.items.slice(this.head).filter((handoff) => !matches(handoff));
    this.head = 0;
    return removedHandoffs;
  }

  messages(): Set<ActiveMessage> {
    return new Set(this.items.slice(this.head).map((handoff) => handoff.message));
  }
}
