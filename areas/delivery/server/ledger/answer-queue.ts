// Answers that wait to be written down, by message: in large sets, and so that a message whose answers
// cannot be written, or whose row somebody holds, keeps no other's waiting. Nothing is given up.
import { isCutOff, isOutOfSpace, isRetriable } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import type { ActiveMessage } from '../sender/active-message.ts';
import type { Answered } from './answered.ts';

/** A fast relay's answers come in small sets: a large one would keep PostgreSQL: see `leastRoom`. */
const FLUSH_MS = 4;
/** After a failure; of a single message it grows to the longest. */
const RETRY_MS = 500;
const LONGEST_RETRY_MS = 15_000;
/** A message whose row or counts somebody holds is waited for so long; then others go on beside it. */
const PATIENCE_MS = 100;
/** So many may be written at once: each takes a connection. */
const MOST_AT_ONCE = 4;
/** Rows of one statement: more only make its parameters heavy. */
const MOST_ROWS = 2_000;

export class AnswerQueue {
  private count = 0;
  private readonly write: (message: ActiveMessage, list: readonly Answered[]) => Promise<void>;
  private readonly queue = new Map<ActiveMessage, Answered[]>();
  /** Whose answers are being written. */
  private readonly writing = new Map<ActiveMessage, Promise<boolean>>();
  /** Messages whose answers could not be written, and are not to be tried before then. */
  private readonly resting = new Map<string, { until: number; failures: number }>();
  private isDraining = false;
  /** The database was gone. */
  private notBefore = 0;
  private timer: NodeJS.Timeout | undefined;
  private flushAt = 0;
  private flushing: Promise<void> | undefined;

  /** `write` writes some of one message down as a whole, and says so by `written`. */
  constructor(write: (message: ActiveMessage, list: readonly Answered[]) => Promise<void>) {
    this.write = write;
  }

  /** Answers that are to be written soon: without those of messages that are held up. */
  get waiting(): number {
    let waiting = this.count;
    if (this.resting.size === 0) return waiting;
    for (const [message, list] of this.queue) if (this.isHeldUp(message)) waiting -= list.length;
    return waiting;
  }

  /** The last answers of this message could not be written. */
  isHeldUp(message: ActiveMessage): boolean {
    return this.resting.has(message.key);
  }

  add(one: Answered): void {
    const { message } = one.sending;
    this.count++;
    const list = this.queue.get(message);
    if (list) {
      list.push(one);
      return;
    }
    this.queue.set(message, [one]);
    if (!this.writing.has(message)) this.plan(FLUSH_MS);
  }

  written(count: number): void {
    this.count -= count;
  }

  /** Writes everything down; `withinMs` bounds how long a database that is gone is waited for. */
  async drain(withinMs: number): Promise<void> {
    this.isDraining = true;
    const until = performance.now() + withinMs;
    while (this.count > 0 && performance.now() < until) {
      clearTimeout(this.timer);
      // What fails is kept, and tried again as long as there is time.
      await (this.flushing ?? this.flush());
      if (this.count > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    clearTimeout(this.timer);
  }

  private plan(milliseconds: number): void {
    if (this.flushing) return;
    const now = performance.now();
    const at = Math.max(now + milliseconds, this.notBefore);
    if (this.timer && this.flushAt <= at) return;
    clearTimeout(this.timer);
    this.flushAt = at;
    this.timer = setTimeout(() => void this.flush(), at - now);
  }

  private planNext(): void {
    if (this.queue.size === 0) return;
    const isAnyFree = [...this.queue.keys()].some((message) => this.isFree(message));
    this.plan(isAnyFree ? FLUSH_MS : RETRY_MS);
  }

  private isFree(message: ActiveMessage): boolean {
    if (this.writing.has(message)) return false;
    const { until = 0 } = this.resting.get(message.key) ?? {};
    return this.isDraining || until <= performance.now();
  }

  private async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.flushing = this.writeAll();
    await this.flushing;
    this.flushing = undefined;
    this.planNext();
  }

  /** One message after the other, so that the answers of each come in large sets; none where the database is gone. */
  private async writeAll(): Promise<void> {
    for (const message of [...this.queue.keys()]) {
      // As it is by now: one that was written beside the others may have failed, and come back to it.
      const list = this.queue.get(message);
      if (!list || !this.isFree(message)) continue;
      this.queue.delete(message);
      if (!(await this.patiently(message, list))) return;
    }
  }

  /** Waits until a message's answers are written, but not for long: somebody may hold its row. */
  private async patiently(message: ActiveMessage, list: Answered[]): Promise<boolean> {
    const written = this.writeList(message, list).then((isWell) => {
      this.writing.delete(message);
      this.planNext();
      return isWell;
    });
    this.writing.set(message, written);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<true>((resolve) => {
      timer = setTimeout(() => resolve(true), PATIENCE_MS);
    });
    const isWell = await Promise.race([written, patience]);
    clearTimeout(timer);
    if (this.writing.size >= MOST_AT_ONCE) await Promise.race(this.writing.values());
    return isWell;
  }

  /** What cannot be written is kept. False where that is the database's matter, rather than the message's. */
  private async writeList(message: ActiveMessage, list: Answered[]): Promise<boolean> {
    try {
      while (list.length > 0) {
        const part = list.slice(0, MOST_ROWS);
        await this.write(message, part);
        list.splice(0, part.length);
      }
      this.resting.delete(message.key);
      return true;
    } catch (error) {
      this.queue.set(message, [...list, ...(this.queue.get(message) ?? [])]);
      return this.judge(message, error);
    }
  }

  private judge(message: ActiveMessage, error: unknown): boolean {
    if (isRetriable(error) || isCutOff(error) || isOutOfSpace(error)) {
      log.warn('Could not record relay responses; retrying', { error: (error as Error).message });
      this.notBefore = performance.now() + RETRY_MS;
      return false;
    }
    // Nobody else's answers wait for it.
    const { accountId, id: messageId } = message;
    const facts = { accountId, messageId, error: error as Error };
    log.error('Could not record the relay responses of a message', facts);
    const failures = (this.resting.get(message.key)?.failures ?? 0) + 1;
    const wait = Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** (failures - 1));
    this.resting.set(message.key, { until: performance.now() + wait, failures });
    return true;
  }
}
