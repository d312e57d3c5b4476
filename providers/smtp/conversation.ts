// One connection's conversation once it is open: what its two ways of handing a message over share.
// A message is under way from `next` to its answer; answers come in the order of what was said.
import type { Socket } from 'node:net';
import type { Answer, HandOver, Verb } from '#areas/delivery/server/relays/provider.ts';
import { classify, noAnswer } from './classify.ts';
import { cannotTake, countDots, ENVELOPE_ROOM, stuffDots } from './envelope.ts';
import type { Session } from './opening.ts';
import type { TimeLimits } from './options.ts';
import { ReplyReader } from './replies.ts';

/** The pool, as a conversation sees it. */
export interface ConversationOwner<H extends HandOver> {
  readonly limits: TimeLimits;
  /** Messages per connection; 0 = no limit. */
  readonly messages: number;
  /** Milliseconds, coarse and monotonic. */
  readonly now: number;
  next(): H | null;
  answered(handOver: H, answer: Answer): void;
  /** Lost before its end was said: the relay cannot have it. */
  returned(handOver: H, answer: Answer): void;
  closed(conversation: Conversation<H>, reason: Answer): void;
}

/** What a reply is waited for; `empty` is the dot behind no message, `bdat` a whole chunk. */
export type Step = 'rset' | 'mail' | 'rcpt' | 'data' | 'dot' | 'empty' | 'bdat' | 'quit';

const FIRST_BUFFER = 64 * 1024;
/**
 * Larger messages get their end in a write of its own, once the rest has left this process: so that
 * a loss before is known as one.
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

export abstract class Conversation<H extends HandOver> {
  readonly session: Session;
  /** How many messages were accepted here. */
  accepted = 0;
  /** How many were begun here. */
  taken = 0;
  readonly begunAt = performance.now();
  /** When it had nothing more to do; by the owner's clock. */
  idleSince: number;
  /** Nothing more is taken; QUIT follows. */
  isEnding = false;
  protected readonly owner: ConversationOwner<H>;
  protected readonly reader = new ReplyReader(() => this.onReply());
  protected readonly expected: Step[] = [];
  protected buffer = Buffer.allocUnsafeSlow(FIRST_BUFFER);
  /** A large message is leaving; its end is not said yet. */
  protected isFlushing = false;
  private readonly socket: Socket;
  /** When the answer that is waited for is late; by the owner's clock. */
  private deadline = Number.POSITIVE_INFINITY;
  private isOver = false;
  private reason: Answer | undefined;
  /** The relay's 421: it closes, though answers to what was said before may still come. */
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

  /** Nothing is under way. */
  abstract get isIdle(): boolean;

  /** Says as much as there is room for; whether a message was begun. */
  protected abstract say(): boolean;

  protected abstract onStep(step: Step, code: number): void;

  /** The large message whose end is not said yet; it is under way no longer. */
  protected abstract releaseLeaving(): H | null;

  /** Answers or gives back whatever is under way; after a 421 the relay read no further. */
  protected abstract abandon(reason: Answer): void;

  /** Asks the owner for messages if there is room; whether one was begun. */
  feed(): boolean {
    return !this.isEnding && !this.isBroken && !this.isFlushing && this.say();
  }

  /** Takes nothing more and says QUIT once nothing is under way. */
  finish(): void {
    this.isEnding = true;
    if (this.isIdle && !this.isBroken && !this.expected.includes('quit')) {
      this.sayLine('QUIT\r\n', 'quit');
    }
  }

  /** Ends it now. What the relay may have is unknown, the rest is given back. */
  breakOff(reason: string): void {
    this.reason ??= noAnswer(this.verb(), 'deferred', reason);
    this.socket.destroy();
  }

  /** Breaks off if the answer that is waited for is late. */
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

  protected answer(handOver: H, answer: Answer): void {
    if (answer.outcome === 'accepted') {
      this.accepted++;
    }
    this.owner.answered(handOver, answer);
  }

  protected goOn(): void {
    if (!this.feed() && this.isIdle) {
      this.idleSince = this.owner.now;
      if (this.isEnding || this.isFull()) {
        this.finish();
      }
    }
  }

  /** The next message that this relay can be asked to take. */
  protected takeNext(): H | null {
    for (;;) {
      const handOver = this.isFull() || this.isEnding ? null : this.owner.next();
      if (!handOver) {
        return null;
      }
      const problem = cannotTake(handOver, this.session);
      if (!problem) {
        this.taken++;
        return handOver;
      }
      this.answer(handOver, problem);
    }
  }

  /** Puts the message into the buffer, which must have room for it, and returns where it ends. */
  protected render(handOver: H, offset: number, isStuffed: boolean): number {
    this.freeBuffer(offset + handOver.size + ENVELOPE_ROOM + EXTRA);
    const end = handOver.write(this.buffer, offset);
    if (end > offset + handOver.size || end < offset) {
      throw new Error(`${end - offset} bytes written where ${handOver.size} were announced`);
    }
    const dots = handOver.isDotSafe || !isStuffed ? 0 : countDots(this.buffer, offset, end);
    if (dots === 0) {
      return end;
    }
    if (end + dots + ENVELOPE_ROOM + EXTRA > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(end + dots + ENVELOPE_ROOM + EXTRA);
      this.buffer.copy(larger, 0, 0, end);
      this.buffer = larger;
    }
    return stuffDots(this.buffer, offset, end, dots);
  }

  // What the kernel has not taken yet still reads from the old buffer: then a new one is taken.
  protected freeBuffer(room: number): void {
    if (this.socket.writableLength > 0 || this.buffer.length < room) {
      this.buffer = Buffer.allocUnsafeSlow(Math.max(FIRST_BUFFER, room));
    }
  }

  protected sayLine(line: string, step: Step): void {
    this.freeBuffer(ENVELOPE_ROOM);
    this.expected.push(step);
    this.send(0, this.buffer.write(line, 0));
  }

  protected send(from: number, end: number): void {
    if (end > from) {
      this.watch();
      this.socket.write(this.buffer.subarray(from, end));
    }
  }

  /** Sends a large message's bytes but for its end, and calls back once they have left. */
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

  // Words that nothing was said for: the session is over. While a large message leaves, a refusal
  // of it that comes before its end is its answer.
  private onOutOfTurn(code: number): void {
    const words = this.reader.text();
    const handOver = this.isFlushing && code >= 400 ? this.releaseLeaving() : null;
    if (handOver) {
      this.answer(handOver, classify('dot', code, words));
    }
    this.reason ??=
      code === 421
        ? classify('mail', code, words)
        : noAnswer(this.verb(), 'deferred', `Out of turn: ${code} ${words}`);
    this.socket.destroy();
  }

  // A relay that closes with words of ours unread resets the connection: that is its 421, too.
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
