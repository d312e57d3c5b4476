// When what was held may come back: one behind the other at a pace; what is urgent only behind its like.
import { clock } from '#platform/server/clock.ts';

export class ReturnQueue {
  private readonly last = { urgent: 0, other: 0 };

  /** Milliseconds until its turn, `waitMs` at least; `perSecond` come back in a second. */
  place(isUrgent: boolean, perSecond: number, waitMs: number): number {
    const now = clock.now().getTime();
    const kind = isUrgent ? 'urgent' : 'other';
    const apart = Math.ceil(1_000 / perSecond);
    this.last[kind] = Math.max(this.last[kind], now + waitMs) + apart;
    return this.last[kind] - now;
  }
}
