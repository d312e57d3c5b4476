// Handoffs started in the ledger that wait for a connection: single sends first, then in the order
// in which they started.
import type { ActiveMessage } from './active-message.ts';
import { mailboxOfLane } from '../ledger/lanes.ts';
import type { Sending } from './sending.ts';

const mayUseReserve = (sending: Sending) => sending.mayUseReserve;

export class SendingQueue {
  private singles: Sending[] = [];
  private items: Sending[] = [];
  private head = 0;

  get size(): number {
    return this.singles.length + this.items.length - this.head;
  }

  get urgent(): number {
    return this.singles.length;
  }

  push(sendings: readonly Sending[]): void {
    if (this.head > 0) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    for (const sending of sendings) this.items.push(sending);
  }

  pushUrgent(sendings: readonly Sending[]): void {
    this.singles.push(...sendings);
  }

  /** Whether `shift` returns a handoff. */
  get isReady(): boolean {
    return this.singles[0]?.isReady === true || this.items[this.head]?.isReady === true;
  }

  /** Number of waiting handoffs; 0 while `shift` returns none. */
  ready(isReserveOnly = false): number {
    if (!isReserveOnly) return this.isReady ? this.size : 0;
    const those = this.singles.filter(mayUseReserve);
    return those[0]?.isReady ? those.length : 0;
  }

  /** The next handoff; undefined if it is not ready. */
  shift(isReserveOnly = false): Sending | undefined {
    if (isReserveOnly) {
      const at = this.singles.findIndex(mayUseReserve);
      return this.singles[at]?.isReady ? this.singles.splice(at, 1)[0] : undefined;
    }
    if (this.singles[0]?.isReady) return this.singles.shift();
    return this.items[this.head]?.isReady ? this.items[this.head++] : undefined;
  }

  /** Number of waiting handoffs to a mailbox provider. */
  waitingFor(mailbox: number): number {
    let count = 0;
    for (let i = this.head; i < this.items.length; i++) {
      const { row } = this.items[i] as Sending;
      if (row.in !== 'singles' && mailboxOfLane(row.lane) === mailbox) count++;
    }
    return count;
  }

  /** Removes the matching handoffs and returns them in order. */
  remove(matches: (sending: Sending) => boolean): Sending[] {
    const waiting = [...this.singles, ...this.items.slice(this.head)];
    const removed = waiting.filter(matches);
    this.singles = this.singles.filter((sending) => !matches(sending));
    this.items = this.items.slice(this.head).filter((sending) => !matches(sending));
    this.head = 0;
    return removed;
  }

  messages(): Set<ActiveMessage> {
    return new Set(this.items.slice(this.head).map((sending) => sending.message));
  }
}
