// Per-account slots for work that takes much memory or disk: limited concurrency, per process.
import { AppError } from './errors.ts';

export class AccountSlots {
  private readonly limit: number;
  private readonly usedSlots = new Map<number, number>();

  constructor(max: number) {
    this.limit = max;
  }

  /**
   * Holds a slot of the account until the work ends.
   * @throws AppError too_many_requests if no slot is free
   */
  async runInSlot<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    const before = this.usedSlots.get(accountId) ?? 0;
    if (before >= this.limit) throw new AppError('too_many_requests', { retryAfterSeconds: 5 });
    this.usedSlots.set(accountId, before + 1);
    try {
      return await work();
    } finally {
      const remaining = (this.usedSlots.get(accountId) ?? 1) - 1;
      if (remaining === 0) this.usedSlots.delete(accountId);
      else this.usedSlots.set(accountId, remaining);
    }
  }
}
