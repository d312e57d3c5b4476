// Per-account slots for work that takes much memory or disk: limited concurrency, per process.
import { AppError } from './errors.ts';

export class AccountSlots {
  private readonly limit: number;
  private readonly held = new Map<number, number>();

  constructor(max: number) {
    this.limit = max;
  }

  /**
   * Holds a slot of the account until the work ends.
   * @throws AppError too_many_requests if no slot is free
   */
  async hold<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    const before = this.held.get(accountId) ?? 0;
    if (before >= this.limit) throw new AppError('too_many_requests', { retryAfter: 5 });
    this.held.set(accountId, before + 1);
    try {
      return await work();
    } finally {
      const remaining = (this.held.get(accountId) ?? 1) - 1;
      if (remaining === 0) this.held.delete(accountId);
      else this.held.set(accountId, remaining);
    }
  }
}
