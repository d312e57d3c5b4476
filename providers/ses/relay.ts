// SES as a relay: makes a limited number of concurrent requests, slows down when throttled, and
// waits during outages.
//
// Only a message can show that SES is available again: after a wait that doubles (or the longest
// wait, if SES refuses our key), the relay becomes ready but unproven, and sends one message at a
// time until one succeeds. Concurrent requests fail together, so they are treated as one failure.
import type {
  HandoffResult,
  Handoff,
  RelayConnection,
  RelayStatistics,
  RelayState,
  HandoffSource,
} from '#areas/delivery/server/relays/provider.ts';
import { buildResultWithoutReply } from './classify.ts';
import { SesClient, type SesOptions } from './request.ts';

const TICK_MS = 100;
const SMOOTHING = 0.05;
const CLOSE_WITHIN_MS = 30_000;
const MIN_CUT_INTERVAL_MS = 1_000;
const GROW_AFTER_MS = 3_000;
const GROWTH_PER_SECOND = 1.1;
const BURST_SECONDS = 0.1;
const MIN_RATE = 0.5;

export function openSesRelay<H extends Handoff>(
  options: SesOptions,
  source: HandoffSource<H>,
): RelayConnection {
  return new SesRelay(options, source);
}

class SesRelay<H extends Handoff> implements RelayConnection {
  readonly name: string;
  readonly capacity: number;
  private readonly options: SesOptions;
  private readonly source: HandoffSource<H>;
  private readonly client: SesClient;
  private readonly timer: NodeJS.Timeout;
  private current: RelayState = { kind: 'ready' };
  private inFlight = 0;
  private accepted = 0;
  private rate = 0;
  private learnedRate = Number.POSITIVE_INFINITY;
  private cutAt = Number.NEGATIVE_INFINITY;
  private credit = 1;
  private tickedAt = performance.now();
  private failures = 0;
  private failedAt = Number.NEGATIVE_INFINITY;
  private retryAt = 0;
  /** True after a failure until a later request shows that the relay is available again. */
  private isTrying = false;
  private isClosing = false;
  private isPullPlanned = false;
  private whenIdle: (() => void) | undefined;

  constructor(options: SesOptions, source: HandoffSource<H>) {
    this.options = options;
    this.source = source;
    this.name = options.endpoint.host;
    this.capacity = options.connections;
    this.client = new SesClient(options);
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.timer.unref();
  }

  state(): RelayState {
    return this.current;
  }

  getStatistics(): RelayStatistics {
    return {
      connections: this.options.connections,
      inFlight: this.inFlight,
      acceptedPerSecond: this.rate,
      allowedPerSecond: this.allowed,
    };
  }

  wake(): void {
    if (this.isPullPlanned || this.isClosing) return;
    this.isPullPlanned = true;
    queueMicrotask(() => this.pull());
  }

  slowDown(): void {
    const now = performance.now();
    if (now - this.cutAt < MIN_CUT_INTERVAL_MS) return;
    this.cutAt = now;
    this.learnedRate = Math.max(MIN_RATE, Math.min(this.allowed, Math.max(this.rate, 2)) / 2);
    this.credit = Math.min(this.credit, 1);
  }

  async close(withinMs = CLOSE_WITHIN_MS): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    if (this.inFlight > 0) {
      const timer = setTimeout(() => this.client.close(), withinMs);
      await new Promise<void>((resolve) => {
        this.whenIdle = resolve;
      });
      clearTimeout(timer);
    }
    this.client.close();
  }

  private get allowed(): number {
    const limit = this.options.rate > 0 ? this.options.rate : Number.POSITIVE_INFINITY;
    return Math.min(limit, this.learnedRate);
  }

  private pull(): void {
    this.isPullPlanned = false;
    if (this.isDue && this.source.countReady() > 0)
      this.setState({ kind: 'ready', isUnproven: true });
    while (!this.isClosing && this.inFlight < this.maxInFlight && this.consumeCredit()) {
      const handoff = this.source.countReady() > 0 ? this.source.next() : null;
      if (!handoff) {
        this.credit++;
        return;
      }
      this.inFlight++;
      void this.send(handoff);
    }
  }

  /** Maximum of concurrent requests: one while the relay is being tried again. */
  private get maxInFlight(): number {
    if (this.current.kind !== 'ready') return 0;
    return this.isTrying ? 1 : this.options.connections;
  }

  /** Whether the wait after the failure is over. */
  private get isDue(): boolean {
    return this.current.kind !== 'ready' && !this.isClosing && performance.now() >= this.retryAt;
  }

  private consumeCredit(): boolean {
    if (this.allowed === Number.POSITIVE_INFINITY) return true;
    if (this.credit < 1) return false;
    this.credit--;
    return true;
  }

  private async send(handoff: H): Promise<void> {
    const startedAt = performance.now();
    const result = await this.attempt(handoff);
    this.inFlight--;
    if (result.outcome === 'accepted') this.accepted++;
    if (result.outcome === 'deferred' && result.scope === 'relay') this.slowDown();
    this.updateState(result, startedAt);
    this.source.onResult(handoff, result);
    this.wake();
    if (this.inFlight === 0) this.whenIdle?.();
  }

  private async attempt(handoff: H): Promise<HandoffResult> {
    let raw: Buffer;
    try {
      const buffer = Buffer.allocUnsafe(handoff.size);
      const end = handoff.write(buffer, 0);
      // Bytes beyond the written end are uninitialized memory.
      if (end < 0 || end > handoff.size) {
        throw new Error(`${end} bytes written instead of at most ${handoff.size}`);
      }
      raw = buffer.subarray(0, end);
    } catch (error) {
      const reply = `The message could not be written: ${String(error)}`;
      return { ...buildResultWithoutReply('deferred', reply), outcome: 'failed', scope: 'message' };
    }
    return this.client.send(handoff, raw);
  }

  /** Updates the state of the relay: available, unavailable, or refusing our key. */
  private updateState(result: HandoffResult, startedAt: number): void {
    const isUnreachable =
      result.scope === 'connection' || (result.outcome === 'deferred' && result.code >= 500);
    const isRefused = result.outcome === 'relay_refused' && result.scope === 'relay';
    const isNewer = startedAt > this.failedAt;
    if (isUnreachable || isRefused) {
      if (isNewer) this.recordFailure(result, isRefused);
      return;
    }
    if (isNewer) {
      this.failures = 0;
      this.isTrying = false;
    }
    if (this.current.kind !== 'ready' || this.current.isUnproven) this.setState({ kind: 'ready' });
  }

  private recordFailure(result: HandoffResult, isRefused: boolean): void {
    const { firstWaitMs, maxWaitMs } = this.options;
    const backoffMs = firstWaitMs * 2 ** Math.min(this.failures++, 20);
    const maxDelay = isRefused ? maxWaitMs : Math.min(maxWaitMs, backoffMs);
    const retryInMs = Math.round(maxDelay * (0.5 + Math.random() / 2));
    this.failedAt = performance.now();
    this.retryAt = this.failedAt + retryInMs;
    this.isTrying = true;
    this.setState({ kind: isRefused ? 'refused' : 'waiting', retryInMs, result });
  }

  private setState(state: RelayState): void {
    this.current = state;
    this.source.onStateChange?.(state);
  }

  private tick(): void {
    const now = performance.now();
    const seconds = (now - this.tickedAt) / 1_000;
    this.tickedAt = now;
    this.rate += SMOOTHING * (this.accepted / seconds - this.rate);
    this.accepted = 0;
    const { allowed } = this;
    if (allowed !== Number.POSITIVE_INFINITY) {
      this.credit = Math.min(Math.max(1, allowed * BURST_SECONDS), this.credit + seconds * allowed);
    }
    if (this.learnedRate !== Number.POSITIVE_INFINITY && now - this.cutAt > GROW_AFTER_MS) {
      this.learnedRate *= GROWTH_PER_SECOND ** seconds;
      if (this.learnedRate > Math.max(100, 4 * this.rate))
        this.learnedRate = Number.POSITIVE_INFINITY;
    }
    this.wake();
  }
}
