// Fair scheduling of costly work, with limits on concurrent pieces in total and per account.
// Accounts with waiting work take turns (round robin), so one account's queue does not delay
// another account.
import { AppError } from '../errors.ts';

/** The id of an account, or a name for work of no account. */
export type TurnKey = number | string;

type Options = {
  maxConcurrent: number;
  maxPerKey: number;
  /** Maximum number of waiting pieces of one key; further pieces are refused. */
  maxWaiting: number;
};

const RETRY_SECONDS = 5;

export class FairTurns {
  private readonly options: Options;
  private readonly waiting = new Map<TurnKey, (() => void)[]>();
  private readonly running = new Map<TurnKey, number>();
  private total = 0;

  constructor(options: Options) {
    this.options = options;
  }

  /**
   * Runs the work in its turn.
   * @throws AppError too_many_requests if too many tasks with this key are waiting
   */
  async run<T>(key: TurnKey, work: () => Promise<T>): Promise<T> {
    await this.acquire(key);
    try {
      return await work();
    } finally {
      this.release(key);
    }
  }

  /** Number of waiting pieces of all keys. */
  get waitingCount(): number {
    return [...this.waiting.values()].reduce((total, { length }) => total + length, 0);
  }

  private acquire(key: TurnKey): Promise<void> | undefined {
    if (!this.waiting.has(key) && this.hasCapacity(key)) {
      this.countRunning(key);
      return undefined;
    }
    const queue = this.waiting.get(key) ?? [];
    if (queue.length >= this.options.maxWaiting)
      throw new AppError('too_many_requests', { retryAfterSeconds: RETRY_SECONDS });
    this.waiting.set(key, queue);
    return new Promise((resolve) => queue.push(resolve));
  }

  private hasCapacity(key: TurnKey): boolean {
    const { maxConcurrent, maxPerKey } = this.options;
    return this.total < maxConcurrent && (this.running.get(key) ?? 0) < maxPerKey;
  }

  private countRunning(key: TurnKey): void {
    this.total += 1;
    this.running.set(key, (this.running.get(key) ?? 0) + 1);
  }

  private release(key: TurnKey): void {
    this.total -= 1;
    const remaining = (this.running.get(key) ?? 1) - 1;
    if (remaining > 0) this.running.set(key, remaining);
    else this.running.delete(key);
    for (let next = this.nextKey(); next !== undefined; next = this.nextKey()) this.start(next);
  }

  private nextKey(): TurnKey | undefined {
    if (this.total >= this.options.maxConcurrent) return undefined;
    for (const key of this.waiting.keys()) if (this.hasCapacity(key)) return key;
    return undefined;
  }

  private start(key: TurnKey): void {
    const queue = this.waiting.get(key) ?? [];
    const resolve = queue.shift();
    // Moves the key to the end, so that other keys go first.
    this.waiting.delete(key);
    if (queue.length > 0) this.waiting.set(key, queue);
    this.countRunning(key);
    resolve?.();
  }
}
