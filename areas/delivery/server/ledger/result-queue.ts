// A queue of results to write, grouped by message, so that one write contains many results. A
// message whose results cannot be written, or whose row is locked, does not block the others.
// Results whose write failed stay in the queue.
import { isAccountReachable } from '#platform/server/database/across-accounts.sql.ts';
import { isOutOfSpace } from '#platform/server/database/database.ts';
import { isOtherNodeFailure } from '#platform/server/database/node-failure.ts';
import { log } from '#platform/server/log.ts';
import type { ActiveMessage } from '../sender/active-message.ts';
import { isForAll } from './isolate-message.ts';
import type { AttemptResult } from './result-rows.ts';

/**
 * Delay before a write, so that more results join it. It is short, so that a write of the results
 * of a fast relay does not occupy PostgreSQL for long (see `computeMinCapacity`).
 */
const FLUSH_MS = 4;
/** Wait after a failure. If one message fails repeatedly, its wait doubles up to MAX_RETRY_MS. */
const RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;
/**
 * After this time the next message's results are written even if the previous write is still
 * pending, because its message row may be locked.
 */
const MAX_LOCK_WAIT_MS = 100;
/** Maximum number of concurrent writes; each takes a connection. */
const MAX_CONCURRENT_WRITES = 4;
/** Maximum number of rows per statement; more rows only enlarge its parameters. */
const MAX_ROWS = 2_000;

export class ResultQueue {
  private unwrittenCount = 0;
  private readonly write: (message: ActiveMessage, list: readonly AttemptResult[]) => Promise<void>;
  private readonly queue = new Map<ActiveMessage, AttemptResult[]>();
  /** Messages whose results are being written. */
  private readonly pendingWrites = new Map<ActiveMessage, Promise<boolean>>();
  /** Messages whose write failed, with the time of the next attempt. */
  private readonly failedWrites = new Map<string, { nextAttemptAt: number; failures: number }>();
  private isDraining = false;
  /** Time of the next attempt while the database is unavailable. */
  private retryAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private flushAt = 0;
  private pendingFlush: Promise<void> | undefined;

  /**
   * `write` writes results of one message, all or none, and reports them by calling
   * `confirmWritten`.
   */
  constructor(write: (message: ActiveMessage, list: readonly AttemptResult[]) => Promise<void>) {
    this.write = write;
  }

  /**
   * Number of results not yet written, except results that wait after a failed write of their
   * message.
   */
  get pendingCount(): number {
    let count = this.unwrittenCount;
    if (this.failedWrites.size === 0) return count;
    for (const [message, list] of this.queue) if (this.isRetrying(message)) count -= list.length;
    return count;
  }

  /** Returns whether the last write of this message failed. */
  isRetrying(message: ActiveMessage): boolean {
    return this.failedWrites.has(message.key);
  }

  add(result: AttemptResult): void {
    const { message } = result.handoff;
    this.unwrittenCount++;
    const list = this.queue.get(message);
    if (list) {
      list.push(result);
      return;
    }
    this.queue.set(message, [result]);
    if (!this.pendingWrites.has(message)) this.schedule(FLUSH_MS);
  }

  confirmWritten(count: number): void {
    this.unwrittenCount -= count;
  }

  /** Writes all results and retries failed writes, but stops after `withinMs`. */
  async drain(withinMs: number): Promise<void> {
    this.isDraining = true;
    const deadline = performance.now() + withinMs;
    while (this.unwrittenCount > 0 && performance.now() < deadline) {
      clearTimeout(this.timer);
      await (this.pendingFlush ?? this.flush());
      if (this.unwrittenCount > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    clearTimeout(this.timer);
  }

  private schedule(milliseconds: number): void {
    if (this.pendingFlush) return;
    const now = performance.now();
    const flushAt = Math.max(now + milliseconds, this.retryAt);
    if (this.timer && this.flushAt <= flushAt) return;
    clearTimeout(this.timer);
    this.flushAt = flushAt;
    this.timer = setTimeout(() => void this.flush(), flushAt - now);
  }

  private scheduleNext(): void {
    if (this.queue.size === 0) return;
    const isAnyFree = [...this.queue.keys()].some((message) => this.isFree(message));
    this.schedule(isAnyFree ? FLUSH_MS : RETRY_MS);
  }

  private isFree(message: ActiveMessage): boolean {
    if (this.pendingWrites.has(message)) return false;
    const { nextAttemptAt = 0 } = this.failedWrites.get(message.key) ?? {};
    if (this.isDraining) return true;
    return (
      nextAttemptAt <= performance.now() &&
      (nextAttemptAt === 0 || isAccountReachable(message.accountId))
    );
  }

  private async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.pendingFlush = this.writeAll();
    await this.pendingFlush;
    this.pendingFlush = undefined;
    this.scheduleNext();
  }

  /**
   * Writes the results of one message after another. Meanwhile more results of the others arrive,
   * so that each write contains many. Stops if the database fails.
   */
  private async writeAll(): Promise<void> {
    for (const message of [...this.queue.keys()]) {
      // Read again: a concurrent write may have failed and returned its results to the queue.
      const list = this.queue.get(message);
      if (!list || !this.isFree(message)) continue;
      this.queue.delete(message);
      if (!(await this.awaitWrite(message, list))) return;
    }
  }

  /** Writes the results of a message, but waits only briefly, because its row may be locked. */
  private async awaitWrite(message: ActiveMessage, list: AttemptResult[]): Promise<boolean> {
    const write = this.writeList(message, list).then((isWritten) => {
      this.pendingWrites.delete(message);
      this.scheduleNext();
      return isWritten;
    });
    this.pendingWrites.set(message, write);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<true>((resolve) => {
      timer = setTimeout(() => resolve(true), MAX_LOCK_WAIT_MS);
    });
    const isWritten = await Promise.race([write, patience]);
    clearTimeout(timer);
    if (this.pendingWrites.size >= MAX_CONCURRENT_WRITES)
      await Promise.race(this.pendingWrites.values());
    return isWritten;
  }

  /**
   * Writes the results; after a failure, puts them back into the queue. Returns false if the
   * database failed, and not only the write of this message.
   */
  private async writeList(message: ActiveMessage, list: AttemptResult[]): Promise<boolean> {
    try {
      while (list.length > 0) {
        const batch = list.slice(0, MAX_ROWS);
        await this.write(message, batch);
        list.splice(0, batch.length);
      }
      this.failedWrites.delete(message.key);
      return true;
    } catch (error) {
      this.queue.set(message, [...list, ...(this.queue.get(message) ?? [])]);
      return this.handleFailure(message, error);
    }
  }

  private handleFailure(message: ActiveMessage, error: unknown): boolean {
    if (isForAll(error) || isOutOfSpace(error)) {
      log.warn('Could not record relay responses; retrying', { reason: (error as Error).message });
      this.retryAt = performance.now() + RETRY_MS;
      return false;
    }
    // Only this message waits.
    const logFields = { ...message.logFields, error: error as Error };
    log.error('Could not record the relay responses of a message', logFields);
    // Failures of its node do not count, so the message is not delayed once the node has returned.
    const earlierFailures = isOtherNodeFailure(error)
      ? 0
      : (this.failedWrites.get(message.key)?.failures ?? 0);
    const failures = earlierFailures + 1;
    const wait = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (failures - 1));
    this.failedWrites.set(message.key, { nextAttemptAt: performance.now() + wait, failures });
    return true;
  }
}
