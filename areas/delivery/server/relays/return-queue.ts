// Calculates when held handoffs return: one after another, at a rate. Urgent handoffs wait only for
// other urgent ones.
import { clock } from '#platform/server/clock.ts';

export class ReturnQueue {
  private readonly lastReturnAt = { urgent: 0, other: 0 };

  /**
   * Schedules the return of the next handoff and returns the milliseconds until then: at least
   * `waitMs`, at `perSecond` handoffs per second.
   */
  schedule(isUrgent: boolean, perSecond: number, waitMs: number): number {
    const now = clock.now().getTime();
    const urgency = isUrgent ? 'urgent' : 'other';
    const intervalMs = Math.ceil(1_000 / perSecond);
    this.lastReturnAt[urgency] = Math.max(this.lastReturnAt[urgency], now + waitMs) + intervalMs;
    return this.lastReturnAt[urgency] - now;
  }
}
