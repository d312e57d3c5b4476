// Handoffs that a sender has started in the ledger and not yet passed to a relay: they wait for a
// connection, or to be withdrawn. Retries and single sends are tracked until their results are
// written.
import type { Db } from '#platform/server/database/database.ts';
import type { ActiveMessage } from './active-message.ts';
import { isolateMessage } from '../ledger/isolate-message.ts';
import type { LedgerHandoff } from './sending.ts';
import { SendingQueue } from './sending-queue.ts';
import type { Signing } from './signing.ts';
import type { WarmUps } from '../warm-up/warm-ups.ts';
import { withdrawMessage } from '../ledger/withdraw.ts';

export class InFlight {
  readonly queue = new SendingQueue();
  /** Retries and single sends, which are leased row by row, until their results are written. */
  readonly rows = new Set<LedgerHandoff>();
  /** Removed from the queue, and not yet reset in the ledger. */
  private withdrawn: LedgerHandoff[] = [];
  private readonly db: Db;
  private readonly owner: string;
  private readonly signing: Signing;
  private readonly warmUps: WarmUps;

  constructor(db: Db, owner: string, signing: Signing, warmUps: WarmUps) {
    this.db = db;
    this.owner = owner;
    this.signing = signing;
    this.warmUps = warmUps;
  }

  /** Adds urgent single sends, ahead of all handoffs that are not urgent. */
  addUrgent(handoffs: readonly LedgerHandoff[]): void {
    for (const handoff of handoffs) this.rows.add(handoff);
    this.queue.pushUrgent(handoffs);
    this.signing.add(handoffs, true);
  }

  /**
   * Adds the handoffs of one step: of a range, of a message's retries, or of an account's marketing
   * single sends. If handoffs of the same range were withdrawn and are not reset in the ledger yet,
   * the new ones are withdrawn as well.
   */
  add(handoffs: readonly LedgerHandoff[]): void {
    const row = handoffs[0]?.row;
    if (row?.kind === 'deferrals' || row?.kind === 'singles')
      for (const handoff of handoffs) this.rows.add(handoff);
    if (row?.kind === 'range' && row.lease.isHalted) this.withdrawn.push(...handoffs);
    else {
      this.queue.push(handoffs);
      this.signing.add(handoffs);
    }
  }

  /** Removes handoffs from the queue; from this point on they are not sent. */
  withdraw(matches: (handoff: LedgerHandoff) => boolean): void {
    const removedHandoffs = this.queue.remove(matches);
    this.signing.drop(removedHandoffs);
    for (const handoff of removedHandoffs) {
      this.withdrawn.push(handoff);
      if (handoff.row.kind === 'range') handoff.row.lease.isHalted = true;
    }
  }

  /**
   * Resets withdrawn handoffs in the ledger. A reset that fails is repeated with the next call.
   * First waits for `step`, which may still add handoffs of the same ranges.
   */
  async resetWithdrawn(step: Promise<unknown>): Promise<void> {
    if (this.withdrawn.length === 0) return;
    // A failed step has started no handoff.
    await step.catch(() => undefined);
    for (const message of new Set(this.withdrawn.map((handoff) => handoff.message))) {
      await isolateMessage(message.ref, 'Could not release unsent recipients', () =>
        this.resetMessage(message),
      );
    }
  }

  private async resetMessage(message: ActiveMessage): Promise<void> {
    const list = this.withdrawn.filter((handoff) => handoff.message === message);
    const returnedHandoffs = await withdrawMessage(this.db, this.owner, message, list);
    const withdrawnSet = new Set(list);
    this.withdrawn = this.withdrawn.filter((handoff) => !withdrawnSet.has(handoff));
    for (const handoff of list) this.rows.delete(handoff);
    await this.warmUps.returnAllowance(message, returnedHandoffs);
  }
}
