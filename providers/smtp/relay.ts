// The pool: opens connections on demand, feeds them messages, waits for an unavailable relay, slows
// down when throttled, and drains on closing. The state is `ready` until an opening fails while no
// connection is open. It is then `waiting`, or `refused` if the relay refuses us, and one
// connection at a time is tried after a jittered wait that doubles, until one opens. If a
// connection is lost before the dot of a message was sent, the message is retried once on another
// connection, without notifying the source.
import type {
  HandoffResult,
  Handoff,
  RelayConnection,
  RelayStatistics,
  RelayState,
  HandoffSource,
} from '#areas/delivery/server/relays/provider.ts';
import { noReply } from './classify.ts';
import { ChunkConversation } from './chunk-conversation.ts';
import type { Conversation, ConversationOwner } from './conversation.ts';
import { DataConversation } from './data-conversation.ts';
import { OpeningError, openSession } from './opening.ts';
import type { SmtpOptions, TimeLimits } from './options.ts';
import { RelayPace } from './pace.ts';

const TICK_MS = 100;
const CLOSE_WITHIN_MS = 30_000;
/** Time until one more connection is attempted after the relay refused an additional connection. */
const ADD_CONNECTION_AFTER_MS = 10_000;
/** Weight of one tick in the smoothed rate, which covers about two seconds. */
const SMOOTHING = 0.05;

/** Delivers messages to an SMTP server. `parseSmtpUrl` creates the options. */
export function openSmtpRelay<H extends Handoff>(
  options: SmtpOptions,
  source: HandoffSource<H>,
): RelayConnection {
  return new SmtpRelay(options, source);
}

class SmtpRelay<H extends Handoff> implements RelayConnection, ConversationOwner<H> {
  readonly name: string;
  readonly capacity: number;
  readonly limits: TimeLimits;
  readonly messages: number;
  now = performance.now();
  private readonly options: SmtpOptions;
  private readonly source: HandoffSource<H>;
  private readonly pace: RelayPace;
  private readonly conversations = new Set<Conversation<H>>();
  private readonly stop = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private openingCount = 0;
  /** The number of connections that the relay appears to allow. */
  private maxConversations: number;
  private addConnectionAt = 0;
  private failures = 0;
  private failedAt = Number.NEGATIVE_INFINITY;
  private retryAt = 0;
  private current: RelayState = { kind: 'ready' };
  private inFlight = 0;
  private acceptedCount = 0;
  private rate = 0;
  private ratedAt = this.now;
  private isClosing = false;
  private isPullPlanned = false;
  private pullTimer: NodeJS.Timeout | undefined;
  private pullAt = Number.POSITIVE_INFINITY;
  private readonly retries: H[] = [];
  private readonly retried = new WeakSet<H>();
  private onEmpty: (() => void) | undefined;

  constructor(options: SmtpOptions, source: HandoffSource<H>) {
    this.options = options;
    this.source = source;
    this.name = `${options.host}:${options.port}`;
    this.capacity = options.connections * 2;
    this.limits = options.limits;
    this.messages = options.messages;
    this.maxConversations = options.connections;
    this.pace = new RelayPace(options.rate, this.now);
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.timer.unref();
  }

  state(): RelayState {
    return this.current;
  }

  getStatistics(): RelayStatistics {
    return {
      connections: this.conversations.size,
      inFlight: this.inFlight,
      acceptedPerSecond: this.rate,
      allowedPerSecond: this.pace.allowed,
    };
  }

  slowDown(): void {
    this.pace.slowDown(performance.now(), this.rate);
  }

  wake(): void {
    if (!this.isPullPlanned && !this.isClosing) {
      this.isPullPlanned = true;
      queueMicrotask(() => this.pull());
    }
  }

  async close(withinMs = CLOSE_WITHIN_MS): Promise<void> {
    this.isClosing = true;
    clearTimeout(this.pullTimer);
    this.stop.abort();
    this.deferRetries(noReply('connect', 'deferred', 'Stopped.'));
    for (const conversation of this.conversations) {
      conversation.finish();
    }
    const timer = setTimeout(() => {
      for (const conversation of this.conversations) {
        conversation.breakOff('Stopped.');
      }
    }, withinMs);
    if (this.conversations.size + this.openingCount > 0) {
      await new Promise<void>((resolve) => {
        this.onEmpty = resolve;
      });
    }
    clearTimeout(timer);
    clearInterval(this.timer);
  }

  // The methods that conversations call.

  next(): H | null {
    if (this.isClosing) {
      return null;
    }
    if (!this.consumeCredit()) {
      return null;
    }
    const waiting = this.retries.shift();
    if (waiting) {
      return waiting;
    }
    const handoff = this.source.next();
    if (handoff) {
      this.inFlight++;
    } else {
      this.pace.returnCredit();
    }
    return handoff;
  }

  onResult(handoff: H, result: HandoffResult): void {
    this.inFlight--;
    if (result.outcome === 'accepted') {
      this.acceptedCount++;
    } else if (result.outcome === 'deferred' && result.scope === 'relay') {
      this.slowDown();
    }
    this.source.onResult(handoff, result);
  }

  onReturned(handoff: H, result: HandoffResult): void {
    if (this.isClosing || this.retried.has(handoff)) {
      this.onResult(handoff, result);
      return;
    }
    this.retried.add(handoff);
    this.retries.push(handoff);
    this.wake();
  }

  onClosed(conversation: Conversation<H>, reason: HandoffResult): void {
    this.conversations.delete(conversation);
    // A connection that ends before the relay accepted any of its messages counts like one that did
    // not open.
    const isByUs = conversation.isEnding && reason.code !== 421;
    if (!isByUs && conversation.startedCount > 0 && conversation.acceptedCount === 0) {
      this.onOpeningFailed(reason, conversation.startedAt);
    } else {
      this.wake();
    }
    this.endIfEmpty();
  }

  private pull(): void {
    this.isPullPlanned = false;
    if (this.isClosing) {
      return;
    }
    this.feed((conversation) => conversation.isIdle);
    this.feed((conversation) => !conversation.isIdle);
    const neededCount = this.source.countReady() + this.retries.length;
    if (neededCount === 0) {
      return;
    }
    const now = performance.now();
    if (now < this.retryAt) {
      this.schedulePull(this.retryAt - now);
      return;
    }
    const wait = this.pace.getWaitMs(now);
    if (wait > 0) {
      this.schedulePull(wait);
      return;
    }
    const limit =
      this.failures > 0
        ? Math.min(this.conversations.size + 1, this.maxConversations)
        : this.maxConversations;
    const capacity = limit - this.conversations.size;
    for (let count = Math.min(capacity, neededCount) - this.openingCount; count > 0; count--) {
      void this.open();
    }
  }

  private feed(isSelected: (conversation: Conversation<H>) => boolean): void {
    for (const conversation of this.conversations) {
      if (isSelected(conversation) && !conversation.feed() && conversation.isIdle) {
        return;
      }
    }
  }

  private consumeCredit(): boolean {
    if (!this.pace.isLimited) {
      return true;
    }
    const now = performance.now();
    if (this.pace.consumeCredit(now)) {
      return true;
    }
    this.schedulePull(this.pace.getWaitMs(now));
    return false;
  }

  private schedulePull(milliseconds: number): void {
    const wakeAt = performance.now() + Math.max(1, milliseconds);
    if (wakeAt >= this.pullAt) {
      return;
    }
    clearTimeout(this.pullTimer);
    this.pullAt = wakeAt;
    this.pullTimer = setTimeout(
      () => {
        this.pullAt = Number.POSITIVE_INFINITY;
        this.pull();
      },
      Math.max(1, milliseconds),
    );
  }

  private async open(): Promise<void> {
    this.openingCount++;
    const startedAt = performance.now();
    try {
      const session = await openSession(this.options, this.stop.signal);
      this.openingCount--;
      this.now = performance.now();
      const ConversationClass = session.hasChunking ? ChunkConversation : DataConversation;
      this.onOpened(new ConversationClass<H>(this, session), startedAt);
    } catch (error) {
      this.openingCount--;
      const result =
        error instanceof OpeningError
          ? error.result
          : noReply('connect', 'deferred', String(error));
      this.onOpeningFailed(result, startedAt);
      this.endIfEmpty();
    }
  }

  private onOpened(conversation: Conversation<H>, startedAt: number): void {
    this.conversations.add(conversation);
    if (this.isClosing) {
      conversation.finish();
      return;
    }
    // A successful attempt that began after the last failure ends the retries.
    if (startedAt > this.failedAt) {
      this.failures = 0;
      this.retryAt = 0;
    }
    this.setState({ kind: 'ready' });
    this.wake();
  }

  private onOpeningFailed(result: HandoffResult, startedAt: number): void {
    if (this.isClosing) {
      return;
    }
    // Concurrent attempts fail together, so they are treated as one failure.
    const isNewer = startedAt > this.failedAt;
    if (isNewer) {
      this.failures++;
      this.failedAt = performance.now();
      this.retryAt = this.failedAt + this.getWaitMs(result);
    }
    if (this.conversations.size > 0) {
      this.maxConversations = this.conversations.size;
      this.addConnectionAt = performance.now() + ADD_CONNECTION_AFTER_MS;
    } else {
      this.deferRetries(result);
      if (isNewer || this.current.kind === 'ready') {
        const state = result.outcome === 'relay_refused' ? 'refused' : 'waiting';
        const retryInMs = Math.max(0, Math.round(this.retryAt - performance.now()));
        this.setState({ kind: state, retryInMs, result });
      }
    }
    this.wake();
  }

  // The wait doubles up to a maximum, which a refusal reaches at once. Jitter between half and all
  // of the wait prevents many senders from reconnecting simultaneously.
  private getWaitMs(result: HandoffResult): number {
    const { firstWaitMs, maxWaitMs } = this.options;
    const backoffMs = Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(this.failures - 1, 20));
    const longestMs = result.outcome === 'relay_refused' ? maxWaitMs : backoffMs;
    return longestMs * (0.5 + Math.random() / 2);
  }

  private deferRetries(result: HandoffResult): void {
    for (const handoff of this.retries.splice(0)) {
      this.onResult(handoff, { ...result, outcome: 'deferred', scope: 'connection' });
    }
  }

  private setState(state: RelayState): void {
    if (state.kind !== 'ready' || this.current.kind !== 'ready') {
      this.current = state;
      this.source.onStateChange?.(state);
    }
  }

  private tick(): void {
    this.now = performance.now();
    const seconds = (this.now - this.ratedAt) / 1_000;
    this.ratedAt = this.now;
    const weight = 1 - (1 - SMOOTHING) ** ((seconds * 1_000) / TICK_MS);
    this.rate += weight * (this.acceptedCount / seconds - this.rate);
    this.acceptedCount = 0;
    this.pace.recover(this.now, this.rate);
    for (const conversation of this.conversations) {
      conversation.checkTime();
      if (conversation.isIdle && this.now - conversation.idleSince > this.options.idleMs) {
        conversation.finish();
      }
    }
    if (this.maxConversations < this.options.connections && this.now > this.addConnectionAt) {
      this.maxConversations++;
      this.addConnectionAt = this.now + ADD_CONNECTION_AFTER_MS;
      this.wake();
    }
  }

  private endIfEmpty(): void {
    if (this.isClosing && this.conversations.size + this.openingCount === 0) {
      this.onEmpty?.();
    }
  }
}
