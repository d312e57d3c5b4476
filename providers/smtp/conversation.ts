// One open SMTP connection: the code that delivery by DATA and by BDAT share. A message is in
// flight from `next` until its answer; replies arrive in the order of the commands.
import type { Socket } from 'node:net';
import type { Answer, Handoff, Verb } from '#areas/delivery/server/relays/provider.ts';
import { classify, noAnswer } from './classify.ts';
import { cannotTake, countDots, ENVELOPE_BYTES, stuffDots } from './envelope.ts';
import type { Session } from './opening.ts';
import type { TimeLimits } from './options.ts';
import { ReplyReader } from './replies.ts';

/** The pool as a conversation sees it. */
export interface ConversationOwner<H extends Handoff> {
  readonly limits: TimeLimits;
  /** Messages per connection; 0 = no limit. */
  readonly messages: number;
  /** Milliseconds, coarse and monotonic. */
  readonly now: number;
  next(): H | null;
  answered(handoff: H, answer: Answer): void;
  /**
   * The connection was lost before the message's end was sent, so the relay cannot have accepted
   * it.
   */
  returned(handoff: H, answer: Answer): void;
  closed(conversation: Conversation<H>, reason: Answer): void;
}

/** The pending reply: `empty` is a dot without a message, `bdat` a whole chunk. */
export type Step = 'rset' | 'mail' | 'rcpt' | 'data' | 'dot' | 'empty' | 'bdat' | 'quit';

const FIRST_BUFFER = 64 * 1024;
/**
 * Larger messages get their end in a separate write, once the rest has left this process, so that
 * an earlier loss is known not to be a delivery.
 */
export const LARGEST_ONE_WRITE = 256 * 1024;
const EXTRA = 16;

const VERBS: Record<Step, Verb & keyof TimeLimits> = {
  rset: 'mail',
  mail: 'mail',
  rcpt: 'rcpt',
  data: 'data',
  dot: 'dot',
  empty: 'data',
  bdat: 'dot',
  quit: 'mail',
};

export abstract class Conversation<H extends Handoff> {
  readonly session: Session;
  /** Messages accepted on this connection. */
  accepted = 0;
  /** Messages started on this connection. */
  taken = 0;
  readonly startedAt = performance.now();
  /** Since when it has been idle, by the owner's clock. */
  idleSince: number;
  /** No more messages are taken; QUIT follows. */
  isEnding = false;
  protected readonly owner: ConversationOwner<H>;
  protected readonly reader = new ReplyReader(() => this.onReply());
  protected readonly expected: Step[] = [];
  protected buffer = Buffer.allocUnsafeSlow(FIRST_BUFFER);
  /** A large message is being written; its end is not sent yet. */
  protected isFlushing = false;
  private readonly socket: Socket;
  /** Deadline of the pending reply, by the owner's clock. */
  private deadline = Number.POSITIVE_INFINITY;
  private isOver = false;
  private reason: Answer | undefined;
  /**
   * The relay's 421: it closes the connection, but replies to earlier commands may still arrive.
   */
  private goodbye: Answer | undefined;

  constructor(owner: ConversationOwner<H>, session: Session) {
    this.owner = owner;
    this.session = session;
    this.socket = session.socket;
    this.idleSince = owner.now;
    this.socket.on('data', (bytes) => this.onData(bytes));
    this.socket.on('error', (error) => this.onError(error));
    this.socket.on('close', () => this.onClose());
  }

  /** No message is in flight. */
  abstract get isIdle(): boolean;

  /** Writes as much as there is room for; returns whether a message was started. */
  protected abstract say(): boolean;

  protected abstract onStep(step: Step, code: number): void;

  /** Removes from flight the large message whose end is not sent yet. */
  protected abstract releaseLeaving(): H | null;

  /** Answers or returns all messages in flight; after a 421 the relay has read nothing more. */
  protected abstract abandon(reason: Answer): void;

  /** Requests messages from the owner if there is room; returns whether one was started. */
  feed(): boolean {
    return !this.isEnding && !this.isBroken && !this.isFlushing && this.say();
  }

  /** Takes no more messages and sends QUIT once none is in flight. */
  finish(): void {
    this.isEnding = true;
    if (this.isIdle && !this.isBroken && !this.expected.includes('quit')) {
      this.writeLine('QUIT\r\n', 'quit');
    }
  }

  /**
   * Ends the connection now. Messages that the relay may have are unknown, the rest are returned.
   */
  breakOff(reason: string): void {
    this.reason ??= noAnswer(this.verb(), 'deferred', reason);
    this.socket.destroy();
  }

  /** Ends the connection if the pending reply is overdue. */
  checkTime(): void {
    if (this.owner.now > this.deadline) {
      this.breakOff(`No answer to ${this.verb()} within the time limit.`);
    }
  }

  protected get isBroken(): boolean {
    return this.isOver || this.reason !== undefined;
  }

  protected verb(step = this.expected[0]): Verb {
    return step === undefined || this.isFlushing ? (this.isFlushing ? 'dot' : 'mail') : VERBS[step];
  }

  protected answer(handoff: H, answer: Answer): void {
    if (answer.outcome === 'accepted') {
      this.accepted++;
    }
    this.owner.answered(handoff, answer);
  }

  protected continueSending(): void {
    if (!this.feed() && this.isIdle) {
      this.idleSince = this.owner.now;
      if (this.isEnding || this.isFull()) {
        this.finish();
      }
    }
  }

  /** The next message that this relay can accept. */
  protected shiftNext(): H | null {
    for (;;) {
      const handoff = this.isFull() || this.isEnding ? null : this.owner.next();
      if (!handoff) {
        return null;
      }
      const problem = cannotTake(handoff, this.session);
      if (!problem) {
        this.taken++;
        return handoff;
      }
      this.answer(handoff, problem);
    }
  }

  /** Renders the message into the buffer, which must have room for it, and returns its end. */
  protected render(handoff: H, offset: number, isStuffed: boolean): number {
    this.freeBuffer(offset + handoff.size + ENVELOPE_BYTES + EXTRA);
    const end = handoff.write(this.buffer, offset);
    if (end > offset + handoff.size || end < offset) {
      throw new Error(`${end - offset} bytes written where ${handoff.size} were announced`);
    }
    const dots = handoff.isDotSafe || !isStuffed ? 0 : countDots(this.buffer, offset, end);
    if (dots === 0) {
      return end;
    }
    if (end + dots + ENVELOPE_BYTES + EXTRA > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(end + dots + ENVELOPE_BYTES + EXTRA);
      this.buffer.copy(larger, 0, 0, end);
      this.buffer = larger;
    }
    return stuffDots(this.buffer, offset, end, dots);
  }

  // The kernel still reads unsent data from the old buffer, so a new one is allocated.
  protected freeBuffer(bytes: number): void {
    if (this.socket.writableLength > 0 || this.buffer.length < bytes) {
      this.buffer = Buffer.allocUnsafeSlow(Math.max(FIRST_BUFFER, bytes));
    }
  }

  protected writeLine(line: string, step: Step): void {
    this.freeBuffer(ENVELOPE_BYTES);
    this.expected.push(step);
    this.send(0, this.buffer.write(line, 0));
  }

  protected send(from: number, end: number): void {
    if (end > from) {
      this.watch();
      this.socket.write(this.buffer.subarray(from, end));
    }
  }

  /** Sends a large message's bytes except its end, and calls back once they have left. */
  protected flush(from: number, end: number, then: () => void): void {
    this.isFlushing = true;
    this.deadline = this.owner.now + this.owner.limits.dot;
    this.socket.write(this.buffer.subarray(from, end), (error) => {
      this.isFlushing = false;
      if (!error && !this.isBroken && !this.socket.destroyed) {
        then();
      }
    });
  }

  private isFull(): boolean {
    return this.owner.messages > 0 && this.taken >= this.owner.messages;
  }

  private onData(bytes: Buffer): void {
    if (!this.isBroken && !this.reader.read(bytes)) {
      this.breakOff('The relay answered what is not SMTP.');
    }
  }

  private onReply(): void {
    if (this.isBroken) {
      return;
    }
    const { code } = this.reader;
    const step = this.expected.shift();
    const isEarly = this.isFlushing && step === 'bdat' && this.expected.length === 0;
    if (step === undefined || isEarly) {
      this.onOutOfTurn(code);
      return;
    }
    if (step === 'quit') {
      this.socket.destroySoon();
      return;
    }
    if (code === 421) {
      this.goodbye = classify(VERBS[step], code, this.reader.text());
      this.isEnding = true;
    }
    this.watch();
    this.onStep(step, code);
  }

  // A reply without a command ends the session. While a large message is being written, an early
  // refusal counts as its answer.
  private onOutOfTurn(code: number): void {
    const text = this.reader.text();
    const handoff = this.isFlushing && code >= 400 ? this.releaseLeaving() : null;
    if (handoff) {
      this.answer(handoff, classify('dot', code, text));
    }
    this.reason ??=
      code === 421
        ? classify('mail', code, text)
        : noAnswer(this.verb(), 'deferred', `Out of turn: ${code} ${text}`);
    this.socket.destroy();
  }

  // A relay that closes with unread input resets the connection: that counts as a 421, too.
  private onError(error: Error): void {
    if (!this.goodbye) {
      this.breakOff(error.message);
    }
  }

  private onClose(): void {
    if (this.isOver) {
      return;
    }
    const hungUp = noAnswer(this.verb(), 'deferred', 'The relay hung up.');
    const reason = this.reason ?? this.goodbye ?? hungUp;
    this.isOver = true;
    this.deadline = Number.POSITIVE_INFINITY;
    this.abandon(reason);
    this.owner.closed(this, reason);
  }

  private watch(): void {
    const step = this.expected[0];
    this.deadline =
      step === undefined ? Number.POSITIVE_INFINITY : this.owner.now + this.limitOf(step);
  }

  private limitOf(step: Step): number {
    const { limits } = this.owner;
    return step === 'quit' || this.goodbye ? limits.quit : limits[VERBS[step]];
  }
}
