// Runs concurrent deliveries for a relay with promise-based calls. Handoffs are pulled from the
// source while the relay has capacity, and running calls are awaited when the relay closes.
export class ConcurrentCalls {
  private readonly calls = new Set<Promise<void>>();
  private isClosed = false;
  private readonly timer: NodeJS.Timeout;
  private readonly wake: () => void;

  /** @param wake pulls the next handoffs; invoked after each call and every `everyMs` */
  constructor(wake: () => void, everyMs: number) {
    this.wake = wake;
    this.timer = setInterval(wake, everyMs);
    this.timer.unref();
  }

  get count(): number {
    return this.calls.size;
  }

  /** Starts calls while `hasCapacity()` is true and the source has handoffs. */
  pull<H>(
    source: { next(): H | null },
    hasCapacity: () => boolean,
    deliver: (handoff: H) => Promise<void>,
  ): void {
    while (!this.isClosed && hasCapacity()) {
      const handoff = source.next();
      if (!handoff) return;
      const call = deliver(handoff).finally(() => {
        this.calls.delete(call);
        this.wake();
      });
      this.calls.add(call);
    }
  }

  /** Starts no more calls and waits for the running calls, at most `withinMs`. */
  async close(withinMs = 30_000): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    await Promise.race([Promise.all(this.calls), timedOut]);
    clearTimeout(timer);
  }
}
