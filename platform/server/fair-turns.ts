// Turns for costly work: so many pieces at once in all and per account. Accounts with waiting work take turns
// (round robin), so the wait of one account does not grow with what another account has queued.
import { AppError } from './errors.ts';

/** The number of an account, or a word for work of no account. */
export type TurnKey = number | string;

type Options = {
  atOnce: number;
  perKey: number;
  /** Further pieces of the same key are refused. */
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

  /** Runs the work in its turn. @throws AppError too_many_requests where too much of this key waits */
  async run<T>(key: TurnKey, work: () => Promise<T>): Promise<T> {
    await this.acquire(key);
    try {
      return await work();
    } finally {
      this.release(key);
    }
  }

  /** How many pieces wait, of all keys. */
  get waitingCount(): number {
    return [...this.waiting.values()].reduce((sum, { length }) => sum + length, 0);
  }

  private acquire(key: TurnKey): Promise<void> | undefined {
    if (!this.waiting.has(key) && this.hasPlace(key)) {
      this.begin(key);
      return undefined;
    }
    const queue = this.waiting.get(key) ?? [];
    if (queue.length >= this.options.maxWaiting)
      throw new AppError('too_many_requests', { retryAfter: RETRY_SECONDS });
    this.waiting.set(key, queue);
    return new Promise((resolve) => queue.push(resolve));
  }

  private hasPlace(key: TurnKey): boolean {
    const { atOnce, perKey } = this.options;
    return this.total < atOnce && (this.running.get(key) ?? 0) < perKey;
  }

  private begin(key: TurnKey): void {
    this.total += 1;
    this.running.set(key, (this.running.get(key) ?? 0) + 1);
  }

  private release(key: TurnKey): void {
    this.total -= 1;
    const left = (this.running.get(key) ?? 1) - 1;
    if (left > 0) this.running.set(key, left);
    else this.running.delete(key);
    for (let next = this.nextKey(); next !== undefined; next = this.nextKey()) this.start(next);
  }

  private nextKey(): TurnKey | undefined {
    if (this.total >= this.options.atOnce) return undefined;
    for (const key of this.waiting.keys()) if (this.hasPlace(key)) return key;
    return undefined;
  }

  private start(key: TurnKey): void {
    const queue = this.waiting.get(key) ?? [];
    const resolve = queue.shift();
    // The key goes to the end: the other keys come first.
    this.waiting.delete(key);
    if (queue.length > 0) this.waiting.set(key, queue);
    this.begin(key);
    resolve?.();
  }
}
