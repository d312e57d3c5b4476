// Signs queued handoffs in other threads, in the order of the queue: an RSA signature takes six
// times as long as everything else about a copy and would delay the connections.
import type { LedgerHandoff } from './sending.ts';

/** Twice the number of Node's threads, which keeps them busy. */
const MAX_CONCURRENT_SIGNATURES = 8;

export class Signing {
  private waiting: LedgerHandoff[] = [];
  private inFlightCount = 0;
  private scratch = Buffer.allocUnsafeSlow(64 * 1024);
  private readonly onSigned: () => void;

  /** `onSigned` is called after each signature. */
  constructor(onSigned: () => void) {
    this.onSigned = onSigned;
  }

  get isBusy(): boolean {
    return this.inFlightCount > 0;
  }

  /** Signs the handoffs that are not ready; urgent ones before all others. */
  add(handoffs: readonly LedgerHandoff[], isUrgent = false): void {
    const unsigned = handoffs.filter((handoff) => !handoff.isReady);
    if (unsigned.length === 0) return;
    if (isUrgent) this.waiting.unshift(...unsigned);
    else for (const handoff of unsigned) this.waiting.push(handoff);
    this.startNext();
  }

  /** Removes handoffs that will not be sent. */
  drop(handoffs: readonly LedgerHandoff[]): void {
    if (this.waiting.length === 0 || handoffs.length === 0) return;
    const droppedHandoffs = new Set(handoffs);
    this.waiting = this.waiting.filter((handoff) => !droppedHandoffs.has(handoff));
  }

  private startNext(): void {
    while (this.inFlightCount < MAX_CONCURRENT_SIGNATURES) {
      const next = this.waiting.shift();
      if (!next) return;
      this.inFlightCount++;
      void this.sign(next);
    }
  }

  private async sign(handoff: LedgerHandoff): Promise<void> {
    if (this.scratch.length < handoff.size) this.scratch = Buffer.allocUnsafeSlow(handoff.size);
    await handoff.sign(this.scratch);
    this.inFlightCount--;
    this.startNext();
    this.onSigned();
  }
}
