// One connection's conversation once it is open: the hot path.
//
// With PIPELINING (RFC 2920) one write carries a message, its dot and the next envelope (MAIL, RCPT,
// DATA), so a message costs one round trip, and at most two are under way: one behind its dot, one
// in its envelope. Without it, one command at a time.
//
// A refused envelope whose DATA still got a 354 is ended by an empty dot; one whose DATA was refused
// too leaves the transaction open, so the next envelope begins with RSET. Otherwise none is needed.
import type { Socket } from 'node:net';
import type { Answer, HandOver, Verb } from '#areas/delivery/server/provider.ts';
import { classify, noAnswer, refusedHere } from './classify.ts';
import {
  cannotTake,
  countDots,
  ENVELOPE_ROOM,
  mailLine,
  putDot,
  rcptLine,
  stuffDots,
} from './envelope.ts';
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
  /** Lost before its dot: the relay cannot have it. */
  returned(handOver: H, answer: Answer): void;
  closed(conversation: Conversation<H>, reason: Answer): void;
}

type Step = 'rset' | 'mail' | 'rcpt' | 'data' | 'dot' | 'empty' | 'quit';

const FIRST_BUFFER = 64 * 1024;
/** Larger messages get their dot in a write of its own, so that a loss before it is known as one. */
const LARGEST_ONE_WRITE = 256 * 1024;
const EXTRA = 16;

export class Conversation<H extends HandOver> {
  readonly session: Session;
  /** How many messages were accepted here. */
  accepted = 0;
  /** How many were begun here. */
  taken = 0;
  readonly begunAt = performance.now();
  /** When it had nothing more to do; by the owner's clock. */
  idleSince: number;
  /** When the answer that is waited for is late; by the owner's clock. */
  deadline = Number.POSITIVE_INFINITY;
  /** Nothing more is taken; QUIT follows. */
  isEnding = false;
  private readonly owner: ConversationOwner<H>;
  private readonly socket: Socket;
  private readonly reader = new ReplyReader(() => this.onReply());
  private buffer = Buffer.allocUnsafeSlow(FIRST_BUFFER);
  private readonly expected: Step[] = [];
  private envelope: H | null = null;
  private behindDot: H | null = null;
  /** The first refusal within the envelope under way. */
  private refusal: Answer | null = null;
  private isOpenTransaction = false;
  private mustReset = false;
  private isFlushing = false;
  private isOver = false;
  private reason: Answer | undefined;

  constructor(owner: ConversationOwner<H>, session: Session) {
    this.owner = owner;
    this.session = session;
    this.socket = session.socket;
    this.idleSince = owner.now;
    this.socket.on('data', (bytes) => this.onData(bytes));
    this.socket.on('error', (error) => this.breakOff(error.message));
    this.socket.on('close', () => this.onClose());
  }

  get isIdle(): boolean {
    return this.envelope === null && this.behindDot === null;
  }

  private get isBroken(): boolean {
    return this.isOver || this.reason !== undefined;
  }

  /** Asks the owner for the next message if there is room; whether it took one. */
  feed(): boolean {
    if (this.envelope || this.isEnding || this.isBroken) {
      return false;
    }
    if (this.behindDot && !this.session.hasPipelining) {
      return false;
    }
    this.freeBuffer(ENVELOPE_ROOM);
    const end = this.putEnvelope(0);
    this.send(end);
    return end > 0;
  }

  /** Takes nothing more and says QUIT once nothing is under way. */
  finish(): void {
    this.isEnding = true;
    if (this.isIdle && !this.isBroken && !this.expected.includes('quit')) {
      this.say('QUIT\r\n', 'quit');
    }
  }

  /** Ends it now. What is behind its dot is unknown, what is not is given back. */
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
    this.watch();
    if (code === 421 || step === undefined) {
      this.onShutdown(step);
      return;
    }
    switch (step) {
      case 'mail':
      case 'rcpt':
        this.onEnvelopeReply(step, code);
        break;
      case 'data':
        this.onDataReply(code);
        break;
      case 'dot':
        this.onDotReply(code);
        break;
      case 'empty':
        this.endRefused();
        break;
      case 'rset':
        if (!this.session.hasPipelining) {
          this.sayMail();
        }
        break;
      case 'quit':
        this.socket.destroySoon();
        break;
    }
  }

  private onEnvelopeReply(step: 'mail' | 'rcpt', code: number): void {
    const isTaken = code >= 200 && code < 300;
    if (isTaken && step === 'mail') {
      this.isOpenTransaction = true;
    } else if (!isTaken) {
      this.refusal ??= classify(step, code, this.reader.text());
    }
    if (this.session.hasPipelining) {
      return;
    }
    if (this.refusal) {
      this.endRefused();
    } else if (this.envelope) {
      this.say(
        step === 'mail' ? rcptLine(this.envelope) : 'DATA\r\n',
        step === 'mail' ? 'rcpt' : 'data',
      );
    }
  }

  private onDataReply(code: number): void {
    if (code !== 354) {
      this.refusal ??= classify('data', code, this.reader.text());
      this.endRefused();
      return;
    }
    if (this.refusal) {
      this.say('.\r\n', 'empty');
    } else {
      this.sendMessage();
    }
    this.isOpenTransaction = false;
  }

  private onDotReply(code: number): void {
    const handOver = this.behindDot;
    this.behindDot = null;
    if (handOver) {
      this.answer(handOver, classify('dot', code, this.reader.text()));
    }
    this.goOn();
  }

  private endRefused(): void {
    const handOver = this.envelope;
    this.envelope = null;
    this.mustReset = this.isOpenTransaction;
    this.isOpenTransaction = false;
    if (handOver && this.refusal) {
      this.answer(handOver, this.refusal);
    }
    this.refusal = null;
    this.goOn();
  }

  private goOn(): void {
    if (this.envelope) {
      return;
    }
    if (!this.feed() && this.isIdle) {
      this.idleSince = this.owner.now;
      if (this.isEnding || this.isFull()) {
        this.finish();
      }
    }
  }

  private answer(handOver: H, answer: Answer): void {
    if (answer.outcome === 'accepted') {
      this.accepted++;
    }
    this.owner.answered(handOver, answer);
  }

  // 421, or words out of turn: the session is over. Whoever it was said about gets it as an answer.
  private onShutdown(step: Step | undefined): void {
    const words = this.reader.text();
    const { code } = this.reader;
    const at = this.verb(step);
    const isAnswer = code === 421 || (this.isFlushing && code > 421);
    const handOver = step === 'dot' ? this.behindDot : this.envelope;
    if (isAnswer && handOver && step !== 'quit') {
      if (step === 'dot') {
        this.behindDot = null;
      } else {
        this.envelope = null;
      }
      this.answer(handOver, (step !== 'dot' && this.refusal) || classify(at, code, words));
    }
    this.reason ??= isAnswer
      ? classify(at, code, words)
      : noAnswer(at, 'deferred', `Out of turn: ${code} ${words}`);
    this.socket.destroy();
  }

  private onClose(): void {
    if (this.isOver) {
      return;
    }
    this.isOver = true;
    this.deadline = Number.POSITIVE_INFINITY;
    const reason = this.reason ?? noAnswer(this.verb(), 'deferred', 'The relay hung up.');
    const { behindDot, envelope } = this;
    this.behindDot = null;
    this.envelope = null;
    if (behindDot) {
      this.owner.answered(behindDot, noAnswer('dot', 'unknown', reason.reply));
    }
    if (envelope && this.refusal) {
      this.answer(envelope, this.refusal);
    } else if (envelope) {
      this.owner.returned(envelope, { ...reason, at: behindDot ? 'mail' : reason.at });
    }
    this.owner.closed(this, reason);
  }

  // What is being waited for.
  private verb(step = this.expected[0]): Verb {
    if (step === undefined) {
      return this.isFlushing ? 'dot' : 'mail';
    }
    if (step === 'empty') {
      return 'data';
    }
    return step === 'rset' || step === 'quit' ? 'mail' : step;
  }

  // Writing.

  private isFull(): boolean {
    return this.owner.messages > 0 && this.taken >= this.owner.messages;
  }

  // Puts the next envelope at the offset and returns where it ends; the offset if there is none.
  private putEnvelope(offset: number): number {
    for (;;) {
      const handOver = this.isFull() || this.isEnding ? null : this.owner.next();
      if (!handOver) {
        return offset;
      }
      const problem = cannotTake(handOver, this.session);
      if (problem) {
        this.answer(handOver, problem);
        continue;
      }
      this.taken++;
      this.envelope = handOver;
      this.refusal = null;
      return this.putCommands(handOver, offset);
    }
  }

  private putCommands(handOver: H, offset: number): number {
    const reset = this.mustReset ? 'RSET\r\n' : '';
    if (this.mustReset) {
      this.mustReset = false;
      this.expected.push('rset');
      if (!this.session.hasPipelining) {
        return offset + this.buffer.write(reset, offset, 'latin1');
      }
    }
    const mail = mailLine(handOver, this.session);
    if (!this.session.hasPipelining) {
      this.expected.push('mail');
      return offset + this.buffer.write(mail, offset);
    }
    this.expected.push('mail', 'rcpt', 'data');
    return offset + this.buffer.write(`${reset}${mail}${rcptLine(handOver)}DATA\r\n`, offset);
  }

  private sayMail(): void {
    if (this.envelope) {
      this.say(mailLine(this.envelope, this.session), 'mail');
    }
  }

  private sendMessage(): void {
    const handOver = this.envelope;
    if (!handOver) {
      return;
    }
    let end: number;
    try {
      end = this.render(handOver);
    } catch (error) {
      // DATA is open and cannot be taken back: only the connection can.
      this.envelope = null;
      this.answer(handOver, refusedHere('data', '5.6.0', `Not written: ${String(error)}`));
      this.breakOff('The message could not be written.');
      return;
    }
    if (end > LARGEST_ONE_WRITE) {
      this.sendLarge(handOver, end);
      return;
    }
    this.sendDot(handOver, putDot(this.buffer, 0, end));
  }

  // The message is not behind its dot before all of it has left this process.
  private sendLarge(handOver: H, end: number): void {
    this.isFlushing = true;
    this.deadline = this.owner.now + this.owner.limits.dot;
    this.socket.write(this.buffer.subarray(0, end), (error) => {
      this.isFlushing = false;
      if (error || this.isBroken || this.socket.destroyed) {
        return;
      }
      const tail = putDot(this.buffer, 0, end);
      this.buffer.copyWithin(0, end, tail);
      this.sendDot(handOver, tail - end);
    });
  }

  private sendDot(handOver: H, end: number): void {
    this.envelope = null;
    this.behindDot = handOver;
    this.expected.push('dot');
    this.send(this.session.hasPipelining ? this.putEnvelope(end) : end);
  }

  // Puts the message at the buffer's start and returns where it ends.
  private render(handOver: H): number {
    const room = handOver.size + ENVELOPE_ROOM + EXTRA;
    this.freeBuffer(room);
    const end = handOver.write(this.buffer, 0);
    if (end > handOver.size || end < 0) {
      throw new Error(`${end} bytes written where ${handOver.size} were announced`);
    }
    const dots = handOver.isDotSafe ? 0 : countDots(this.buffer, 0, end);
    if (dots === 0) {
      return end;
    }
    if (room + dots > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(room + dots);
      this.buffer.copy(larger, 0, 0, end);
      this.buffer = larger;
    }
    return stuffDots(this.buffer, 0, end, dots);
  }

  // What the kernel has not taken yet still reads from the old buffer: then a new one is taken.
  private freeBuffer(room: number): void {
    if (this.socket.writableLength > 0 || this.buffer.length < room) {
      this.buffer = Buffer.allocUnsafeSlow(Math.max(FIRST_BUFFER, room));
    }
  }

  private say(line: string, step: Step): void {
    this.freeBuffer(ENVELOPE_ROOM);
    this.expected.push(step);
    this.send(this.buffer.write(line, 0));
  }

  private send(end: number): void {
    if (end > 0) {
      this.watch();
      this.socket.write(this.buffer.subarray(0, end));
    }
  }

  private watch(): void {
    const step = this.expected[0];
    this.deadline =
      step === undefined ? Number.POSITIVE_INFINITY : this.owner.now + this.limitOf(step);
  }

  private limitOf(step: Step): number {
    const { limits } = this.owner;
    if (step === 'empty') {
      return limits.data;
    }
    return step === 'rset' ? limits.mail : limits[step];
  }
}
