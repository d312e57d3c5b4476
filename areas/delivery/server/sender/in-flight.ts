// What a sender has begun in the ledger and not handed over yet: it waits to leave, or to be taken back.
import type { Db } from '#platform/server/database.ts';
import type { ActiveMessage } from './active-message.ts';
import { isolateMessage } from '../ledger/isolate-message.ts';
import type { Sending } from './sending.ts';
import { SendingQueue } from './sending-queue.ts';
import type { Signing } from './signing.ts';
import type { WarmUps } from '../warm-up/warm-ups.ts';
import { withdrawMessage } from '../ledger/withdraw.ts';

export class InFlight {
  readonly queue = new SendingQueue();
  /** Rows that were leased one by one, until their answers are written down. */
  readonly rows = new Set<Sending>();
  /** Taken out of the queue and not yet taken back in the ledger. */
  private withdrawn: Sending[] = [];
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

  /** Singles: before all others. */
  addUrgent(sendings: readonly Sending[]): void {
    for (const sending of sendings) this.rows.add(sending);
    this.queue.pushUrgent(sendings);
    this.signing.add(sendings, true);
  }

  /** One step's: of one message, of a range or deferred; or an account's marketing singles. */
  add(sendings: readonly Sending[]): void {
    const row = sendings[0]?.row;
    if (row?.in === 'deferrals' || row?.in === 'singles')
      for (const sending of sendings) this.rows.add(sending);
    // What stands before them was taken out meanwhile: they must not leave either.
    if (row?.in === 'range' && row.lease.isHalted) this.withdrawn.push(...sendings);
    else {
      this.queue.push(sendings);
      this.signing.add(sendings);
    }
  }

  /** Out of the queue: from here on these do not leave. */
  takeOut(matches: (sending: Sending) => boolean): void {
    const taken = this.queue.remove(matches);
    this.signing.drop(taken);
    for (const sending of taken) {
      this.withdrawn.push(sending);
      if (sending.row.in === 'range') sending.row.lease.isHalted = true;
    }
  }

  /**
   * Takes back, in the ledger, the beginning of what was taken out; again until it could. `beginning` is what
   * may still come to stand behind it.
   */
  async takeBack(beginning: Promise<unknown>): Promise<void> {
    if (this.withdrawn.length === 0) return;
    // One that failed has begun nothing here.
    await beginning.catch(() => undefined);
    for (const message of new Set(this.withdrawn.map((sending) => sending.message))) {
      await isolateMessage(message.ref, 'Could not take back unsent recipients', () =>
        this.takeBackOf(message),
      );
    }
  }

  private async takeBackOf(message: ActiveMessage): Promise<void> {
    const list = this.withdrawn.filter((sending) => sending.message === message);
    const returned = await withdrawMessage(this.db, this.owner, message, list);
    const gone = new Set(list);
    this.withdrawn = this.withdrawn.filter((sending) => !gone.has(sending));
    for (const sending of list) this.rows.delete(sending);
    await this.warmUps.giveBack(message, returned);
  }
}
