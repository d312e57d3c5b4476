// The pool: opens connections on demand, feeds them, waits for an unavailable relay, slows down
// when throttled, and drains on closing.
//
// States: `ready` until an opening fails without any open connection; then `waiting`, or `refused`
// if the relay refuses us; one connection at a time is tried, after a jittered wait that doubles,
// until one opens. Messages in flight on a lost connection whose dot was not sent are retried once
// on another connection, without notifying the source.
import type {
  Answer,
  Handoff,
  Relay,
  RelayFigures,
  RelayState,
  Source,
} from '#areas/delivery/server/relays/provider.ts';
import { noAnswer } from './classify.ts';
import { ChunkConversation } from './chunk-conversation.ts';
import type { Conversation, ConversationOwner } from './conversation.ts';
import { DataConversation } from './data-conversation.ts';
import { OpeningError, openSession } from './opening.ts';
import type { SmtpOptions, TimeLimits } from './options.ts';
import { Pace } from './pace.ts';

const TICK = 100;
const CLOSE_WITHIN = 30_000;
/** Time until one more connection is attempted after the relay refused one as too many. */
const ONE_MORE_AFTER = 10_000;
/** Weight of one tick's rate in the smoothed rate, which covers about two seconds. */
const SMOOTHING = 0.05;

/** Delivers messages to an SMTP server. `parseSmtpUrl` creates the options. */
export function openSmtpRelay<H extends Handoff>(options: SmtpOptions, source: Source<H>): Relay {
  return new SmtpRelay(options, source);
}

class SmtpRelay<H extends Handoff> implements Relay, ConversationOwner<H> {
  readonly name: string;
  readonly capacity: number;
  readonly limits: TimeLimits;
  readonly messages: number;
  now = performance.now();
  private readonly options: SmtpOptions;
  private readonly source: Source<H>;
  private readonly pace: Pace;
  private readonly conversations = new Set<Conversation<H>>();
  private readonly stop = new AbortController();
  private readonly ticking: NodeJS.Timeout;
  private opening = 0;
  /** The number of connections that the relay appears to allow. */
  private maxConversations: number;
  private oneMoreAt = 0;
  private failures = 0;
  private failedAt = Number.NEGATIVE_INFINITY;
  private retryAt = 0;
  private current: RelayState = { is: 'ready' };
  private inFlight = 0;
  private accepted = 0;
  private rate = 0;
  private ratedAt = this.now;
  private isClosing = false;
  private isFillPlanned = false;
  private fillTimer: NodeJS.Timeout | undefined;
  private fillAt = Number.POSITIVE_INFINITY;
  private readonly again: H[] = [];
  private readonly triedAgain = new WeakSet<H>();
  private whenEmpty: (() => void) | undefined;

  constructor(options: SmtpOptions, source: Source<H>) {
    this.options = options;
    this.source = source;
    this.name = `${options.host}:${options.port}`;
    this.capacity = options.connections * 2;
    this.limits = options.limits;
    this.messages = options.messages;
    this.maxConversations = options.connections;
    this.pace = new Pace(options.rate, this.now);
    this.ticking = setInterval(() => this.tick(), TICK);
    this.ticking.unref();
  }

  state(): RelayState {
    return this.current;
  }

  figures(): RelayFigures {
    return {
      connections: this.conversations.size,
      inFlight: this.inFlight,
      acceptedPerSecond: this.rate,
      allowedPerSecond: this.pace.allowed,
    };
  }

  slower(): void {
    this.pace.refused(performance.now(), this.rate);
  }

  wake(): void {
    if (!this.isFillPlanned && !this.isClosing) {
      this.isFillPlanned = true;
      queueMicrotask(() => this.fill());
    }
  }

  async close(withinMs = CLOSE_WITHIN): Promise<void> {
    this.isClosing = true;
    clearTimeout(this.fillTimer);
    this.stop.abort();
    this.giveUpAgain(noAnswer('connect', 'deferred', 'Stopped.'));
    for (const conversation of this.conversations) {
      conversation.finish();
    }
    const timer = setTimeout(() => {
      for (const conversation of this.conversations) {
        conversation.breakOff('Stopped.');
      }
    }, withinMs);
    if (this.conversations.size + this.opening > 0) {
      await new Promise<void>((resolve) => {
        this.whenEmpty = resolve;
      });
    }
    clearTimeout(timer);
    clearInterval(this.ticking);
  }

  // The interface for conversations.

  next(): H | null {
    if (this.isClosing) {
      return null;
    }
    if (!this.mayLeave()) {
      return null;
    }
    const waiting = this.again.shift();
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

  answered(handoff: H, answer: Answer): void {
    this.inFlight--;
    if (answer.outcome === 'accepted') {
      this.accepted++;
    } else if (answer.outcome === 'deferred' && answer.about === 'relay') {
      this.slower();
    }
    this.source.answered(handoff, answer);
  }

  returned(handoff: H, answer: Answer): void {
    if (this.isClosing || this.triedAgain.has(handoff)) {
      this.answered(handoff, answer);
      return;
    }
    this.triedAgain.add(handoff);
    this.again.push(handoff);
    this.wake();
  }

  closed(conversation: Conversation<H>, reason: Answer): void {
    this.conversations.delete(conversation);
    // A connection that ends before any success counts like one that did not open.
    const isByUs = conversation.isEnding && reason.code !== 421;
    if (!isByUs && conversation.taken > 0 && conversation.accepted === 0) {
      this.openingFailed(reason, conversation.startedAt);
    } else {
      this.wake();
    }
    this.endIfEmpty();
  }

  private fill(): void {
    this.isFillPlanned = false;
    if (this.isClosing) {
      return;
    }
    this.feed((conversation) => conversation.isIdle);
    this.feed((conversation) => !conversation.isIdle);
    const needed = this.source.ready() + this.again.length;
    if (needed === 0) {
      return;
    }
    const now = performance.now();
    if (now < this.retryAt) {
      this.fillIn(this.retryAt - now);
      return;
    }
    const wait = this.pace.wait(now);
    if (wait > 0) {
      this.fillIn(wait);
      return;
    }
    const limit =
      this.failures > 0
        ? Math.min(this.conversations.size + 1, this.maxConversations)
        : this.maxConversations;
    const capacity = limit - this.conversations.size;
    for (let count = Math.min(capacity, needed) - this.opening; count > 0; count--) {
      void this.open();
    }
  }

  private feed(which: (conversation: Conversation<H>) => boolean): void {
    for (const conversation of this.conversations) {
      if (which(conversation) && !conversation.feed() && conversation.isIdle) {
        return;
      }
    }
  }

  private mayLeave(): boolean {
    if (!this.pace.isLimited) {
      return true;
    }
    const now = performance.now();
    if (this.pace.take(now)) {
      return true;
    }
    this.fillIn(this.pace.wait(now));
    return false;
  }

  private fillIn(milliseconds: number): void {
    const at = performance.now() + Math.max(1, milliseconds);
    if (at >= this.fillAt) {
      return;
    }
    clearTimeout(this.fillTimer);
    this.fillAt = at;
    this.fillTimer = setTimeout(
      () => {
        this.fillAt = Number.POSITIVE_INFINITY;
        this.fill();
      },
      Math.max(1, milliseconds),
    );
  }

  private async open(): Promise<void> {
    this.opening++;
    const startedAt = performance.now();
    try {
      const session = await openSession(this.options, this.stop.signal);
      this.opening--;
      this.now = performance.now();
      const ConversationClass = session.hasChunking ? ChunkConversation : DataConversation;
      this.opened(new ConversationClass<H>(this, session), startedAt);
    } catch (error) {
      this.opening--;
      const answer =
        error instanceof OpeningError
          ? error.answer
          : noAnswer('connect', 'deferred', String(error));
      this.openingFailed(answer, startedAt);
      this.endIfEmpty();
    }
  }

  private opened(conversation: Conversation<H>, startedAt: number): void {
    this.conversations.add(conversation);
    if (this.isClosing) {
      conversation.finish();
      return;
    }
    // If a concurrent attempt has failed, the next connection is attempted alone.
    if (startedAt > this.failedAt) {
      this.failures = 0;
      this.retryAt = 0;
    }
    this.change({ is: 'ready' });
    this.wake();
  }

  private openingFailed(answer: Answer, startedAt: number): void {
    if (this.isClosing) {
      return;
    }
    // Concurrent attempts fail together, so they count as one failure.
    const isNews = startedAt > this.failedAt;
    if (isNews) {
      this.failures++;
      this.failedAt = performance.now();
      this.retryAt = this.failedAt + this.waitAfter(answer);
    }
    if (this.conversations.size > 0) {
      this.maxConversations = this.conversations.size;
      this.oneMoreAt = performance.now() + ONE_MORE_AFTER;
    } else {
      this.giveUpAgain(answer);
      if (isNews || this.current.is === 'ready') {
        const is = answer.outcome === 'relay_refused' ? 'refused' : 'waiting';
        const retryInMs = Math.max(0, Math.round(this.retryAt - performance.now()));
        this.change({ is, retryInMs, answer });
      }
    }
    this.wake();
  }

  // Doubles, with jitter between half and the whole, so that many senders do not reconnect simultaneously.
  private waitAfter(answer: Answer): number {
    const { firstWait, maxWait } = this.options;
    const doubled = Math.min(maxWait, firstWait * 2 ** Math.min(this.failures - 1, 20));
    const whole = answer.outcome === 'relay_refused' ? maxWait : doubled;
    return whole * (0.5 + Math.random() / 2);
  }

  private giveUpAgain(answer: Answer): void {
    for (const handoff of this.again.splice(0)) {
      this.answered(handoff, { ...answer, outcome: 'deferred', about: 'connection' });
    }
  }

  private change(state: RelayState): void {
    if (state.is !== 'ready' || this.current.is !== 'ready') {
      this.current = state;
      this.source.changed?.(state);
    }
  }

  private tick(): void {
    this.now = performance.now();
    const seconds = (this.now - this.ratedAt) / 1_000;
    this.ratedAt = this.now;
    const share = 1 - (1 - SMOOTHING) ** ((seconds * 1_000) / TICK);
    this.rate += share * (this.accepted / seconds - this.rate);
    this.accepted = 0;
    this.pace.recover(this.now, this.rate);
    for (const conversation of this.conversations) {
      conversation.checkTime();
      if (conversation.isIdle && this.now - conversation.idleSince > this.options.idle) {
        conversation.finish();
      }
    }
    if (this.maxConversations < this.options.connections && this.now > this.oneMoreAt) {
      this.maxConversations++;
      this.oneMoreAt = this.now + ONE_MORE_AFTER;
      this.wake();
    }
  }

  private endIfEmpty(): void {
    if (this.isClosing && this.conversations.size + this.opening === 0) {
      this.whenEmpty?.();
    }
  }
}
