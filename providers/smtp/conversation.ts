// The part of an open SMTP connection that delivery with DATA and delivery with BDAT share. A
// message is in flight from its start until it has a result or is returned. Replies arrive in the
// order of the commands.
import type { Socket } from 'node:net';
import type { HandoffResult, Handoff, SmtpStep } from '#areas/delivery/server/relays/provider.ts';
import { classify, noReply } from './classify.ts';
import { findRefusalReason, countDots, ENVELOPE_BYTES, stuffDots } from './envelope.ts';
import type { SmtpSession } from './opening.ts';
import type { TimeLimits } from './options.ts';
import { ReplyReader } from './replies.ts';

/** What a conversation needs from the pool that opened it. */
export interface ConversationOwner<H extends Handoff> {
  readonly limits: TimeLimits;
  /** Messages per connection; 0 = no limit. */
  readonly messages: number;
  /** Monotonic time in milliseconds, updated only from time to time. */
  readonly now: number;
  next(): H | null;
  onResult(handoff: H, result: HandoffResult): void;
  /**
   * The connection was lost before the message's end was sent, so the relay cannot have accepted
   * it.
   */
  onReturned(handoff: H, result: HandoffResult): void;
  onClosed(conversation: Conversation<H>, reason: HandoffResult): void;
}

/** A command with a pending reply. `empty` is a dot without a message, `bdat` a whole chunk. */
export type CommandStep = 'rset' | 'mail' | 'rcpt' | 'data' | 'dot' | 'empty' | 'bdat' | 'quit';

const INITIAL_BUFFER_BYTES = 64 * 1024;
/**
 * The end of a larger message is sent in a separate write, once the rest has left this process. If
 * the connection is lost before that, the message was certainly not delivered.
 */
export const MAX_SINGLE_WRITE_BYTES = 256 * 1024;
const EXTRA_BYTES = 16;

const VERBS: Record<CommandStep, SmtpStep & keyof TimeLimits> = {
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
  readonly session: SmtpSession;
  /** Messages accepted on this connection. */
  acceptedCount = 0;
  /** Messages taken from the owner for this connection, without those refused here. */
  startedCount = 0;
  readonly startedAt = performance.now();
  /** The time since which the connection is idle, by the owner's clock. */
  idleSince: number;
  /** Whether no more messages are started; QUIT follows. */
  isEnding = false;
  protected readonly owner: ConversationOwner<H>;
  protected readonly reader = new ReplyReader(() => this.onReply());
  protected readonly pendingSteps: CommandStep[] = [];
  protected buffer = Buffer.allocUnsafeSlow(INITIAL_BUFFER_BYTES);
  /** Whether a large message is being written and its end is not sent yet. */
  protected isFlushing = false;
  private readonly socket: Socket;
  /** Deadline of the pending reply, by the owner's clock. */
  private deadline = Number.POSITIVE_INFINITY;
  private hasEnded = false;
  private reason: HandoffResult | undefined;
  /**
   * The relay's 421 reply. The relay closes the connection, but replies to earlier commands may
   * still arrive.
   */
  private closingReply: HandoffResult | undefined;

  constructor(owner: ConversationOwner<H>, session: SmtpSession) {
    this.owner = owner;
    this.session = session;
    this.socket = session.socket;
    this.idleSince = owner.now;
    this.socket.on('data', (bytes) => this.onData(bytes));
    this.socket.on('error', (error) => this.onError(error));
    this.socket.on('close', () => this.onClose());
  }

  /** Whether no message is in flight. */
  abstract get isIdle(): boolean;

  /** Writes messages up to the in-flight limit; returns whether a message was started. */
  protected abstract writeMessages(): boolean;

  protected abstract onStep(step: CommandStep, code: number): void;

  /** Removes and returns the large message that is not completely sent yet. */
  protected abstract releasePartlySent(): H | null;

  /**
   * Reports or returns all messages in flight. If `reason` is a 421 reply, the relay has read no
   * further messages, so those are returned.
   */
  protected abstract abandon(reason: HandoffResult): void;

  /** Starts messages if more may be in flight; returns whether one was started. */
  feed(): boolean {
    return !this.isEnding && !this.isBroken && !this.isFlushing && this.writeMessages();
  }

  /** Starts no more messages and sends QUIT once none is in flight. */
  finish(): void {
    this.isEnding = true;
    if (this.isIdle && !this.isBroken && !this.pendingSteps.includes('quit')) {
      this.writeLine('QUIT\r\n', 'quit');
    }
  }

  /**
   * Ends the connection now. The result of messages that the relay may have accepted is unknown;
   * the others are returned.
   */
  breakOff(reason: string): void {
    this.reason ??= noReply(this.getPendingVerb(), 'deferred', reason);
    this.socket.destroy();
  }

  /** Ends the connection if the pending reply is overdue. */
  checkTime(): void {
    if (this.owner.now > this.deadline) {
      this.breakOff(`No reply to ${this.getPendingVerb()} within the time limit.`);
    }
  }

  protected get isBroken(): boolean {
    return this.hasEnded || this.reason !== undefined;
  }

  protected getPendingVerb(step = this.pendingSteps[0]): SmtpStep {
    return step === undefined || this.isFlushing ? (this.isFlushing ? 'dot' : 'mail') : VERBS[step];
  }

  protected reportResult(handoff: H, result: HandoffResult): void {
    if (result.outcome === 'accepted') {
      this.acceptedCount++;
    }
    this.owner.onResult(handoff, result);
  }

  protected continueSending(): void {
    if (!this.feed() && this.isIdle) {
      this.idleSince = this.owner.now;
      if (this.isEnding || this.isFull()) {
        this.finish();
      }
    }
  }

  /** Returns the next message. Reports a result for messages that this relay cannot accept. */
  protected shiftNext(): H | null {
    for (;;) {
      const handoff = this.isFull() || this.isEnding ? null : this.owner.next();
      if (!handoff) {
        return null;
      }
      const problem = findRefusalReason(handoff, this.session);
      if (!problem) {
        this.startedCount++;
        return handoff;
      }
      this.reportResult(handoff, problem);
    }
  }

  /** Renders the message into the buffer, which must be large enough, and returns its end. */
  protected render(handoff: H, offset: number, isStuffed: boolean): number {
    this.freeBuffer(offset + handoff.size + ENVELOPE_BYTES + EXTRA_BYTES);
    const end = handoff.write(this.buffer, offset);
    if (end > offset + handoff.size || end < offset) {
      throw new Error(`${end - offset} bytes written instead of at most ${handoff.size}`);
    }
    const dots = handoff.isDotSafe || !isStuffed ? 0 : countDots(this.buffer, offset, end);
    if (dots === 0) {
      return end;
    }
    if (end + dots + ENVELOPE_BYTES + EXTRA_BYTES > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(end + dots + ENVELOPE_BYTES + EXTRA_BYTES);
      this.buffer.copy(larger, 0, 0, end);
      this.buffer = larger;
    }
    return stuffDots(this.buffer, offset, end, dots);
  }

  // The kernel may still read unsent data from the old buffer, so a new one is allocated.
  protected freeBuffer(bytes: number): void {
    if (this.socket.writableLength > 0 || this.buffer.length < bytes) {
      this.buffer = Buffer.allocUnsafeSlow(Math.max(INITIAL_BUFFER_BYTES, bytes));
    }
  }

  protected writeLine(line: string, step: CommandStep): void {
    this.freeBuffer(ENVELOPE_BYTES);
    this.pendingSteps.push(step);
    this.send(0, this.buffer.write(line, 0));
  }

  protected send(from: number, end: number): void {
    if (end > from) {
      this.updateDeadline();
      this.socket.write(this.buffer.subarray(from, end));
    }
  }

  /** Sends a large message except its end and calls back once the bytes have left this process. */
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
    return this.owner.messages > 0 && this.startedCount >= this.owner.messages;
  }

  private onData(bytes: Buffer): void {
    if (!this.isBroken && !this.reader.read(bytes)) {
      this.breakOff('The reply is not SMTP.');
    }
  }

  private onReply(): void {
    if (this.isBroken) {
      return;
    }
    const { code } = this.reader;
    const step = this.pendingSteps.shift();
    const isEarly = this.isFlushing && step === 'bdat' && this.pendingSteps.length === 0;
    if (step === undefined || isEarly) {
      this.onUnexpectedReply(code);
      return;
    }
    if (step === 'quit') {
      this.socket.destroySoon();
      return;
    }
    if (code === 421) {
      this.closingReply = classify(VERBS[step], code, this.reader.text());
      this.isEnding = true;
    }
    this.updateDeadline();
    this.onStep(step, code);
  }

  // A reply without a command ends the session. While a large message is being written, an early
  // refusal is treated as its result.
  private onUnexpectedReply(code: number): void {
    const text = this.reader.text();
    const handoff = this.isFlushing && code >= 400 ? this.releasePartlySent() : null;
    if (handoff) {
      this.reportResult(handoff, classify('dot', code, text));
    }
    this.reason ??=
      code === 421
        ? classify('mail', code, text)
        : noReply(this.getPendingVerb(), 'deferred', `Unexpected reply: ${code} ${text}`);
    this.socket.destroy();
  }

  // A relay that closes the connection before it has read all input resets the connection. After a
  // 421, this is expected and not another error.
  private onError(error: Error): void {
    if (!this.closingReply) {
      this.breakOff(error.message);
    }
  }

  private onClose(): void {
    if (this.hasEnded) {
      return;
    }
    const hungUp = noReply(this.getPendingVerb(), 'deferred', 'The relay hung up.');
    const reason = this.reason ?? this.closingReply ?? hungUp;
    this.hasEnded = true;
    this.deadline = Number.POSITIVE_INFINITY;
    this.abandon(reason);
    this.owner.onClosed(this, reason);
  }

  private updateDeadline(): void {
    const step = this.pendingSteps[0];
    this.deadline =
      step === undefined ? Number.POSITIVE_INFINITY : this.owner.now + this.getLimitMs(step);
  }

  private getLimitMs(step: CommandStep): number {
    const { limits } = this.owner;
    return step === 'quit' || this.closingReply ? limits.quit : limits[VERBS[step]];
  }
}
