// Delivery by DATA (RFC 5321), which works with every relay. With PIPELINING (RFC 2920) one write
// carries a message, its dot and the next envelope (MAIL, RCPT, DATA), so a message costs one round
// trip. At most two messages are in flight: one waits for the reply to its dot, one for the replies
// to its envelope. Without PIPELINING, commands are sent one at a time. If an envelope was refused
// but its DATA got a 354, an empty dot ends it. If its MAIL was accepted and its DATA got no 354,
// the transaction remains open, so the next envelope begins with RSET.
import type { HandoffResult, Handoff } from '#areas/delivery/server/relays/provider.ts';
import { classify, noReply, refuseLocally } from './classify.ts';
import { Conversation, MAX_SINGLE_WRITE_BYTES, type CommandStep } from './conversation.ts';
import { ENVELOPE_BYTES, mailFromLine, putDot, rcptLine } from './envelope.ts';

export class DataConversation<H extends Handoff> extends Conversation<H> {
  private envelope: H | null = null;
  private sentMessage: H | null = null;
  /** The first refusal within the envelope in flight. */
  private refusal: HandoffResult | null = null;
  private hasOpenTransaction = false;
  private mustReset = false;

  override get isIdle(): boolean {
    return this.envelope === null && this.sentMessage === null;
  }

  protected override writeMessages(): boolean {
    if (this.envelope || (this.sentMessage && !this.session.hasPipelining)) {
      return false;
    }
    this.freeBuffer(ENVELOPE_BYTES);
    const end = this.putEnvelope(0);
    this.send(0, end);
    return end > 0;
  }

  protected override onStep(step: CommandStep, code: number): void {
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
      default:
        if (!this.session.hasPipelining) {
          this.writeMailFrom();
        }
    }
  }

  protected override releasePartlySent(): H | null {
    const { envelope } = this;
    this.envelope = null;
    return envelope;
  }

  protected override abandon(reason: HandoffResult): void {
    const { sentMessage, envelope } = this;
    this.sentMessage = null;
    this.envelope = null;
    if (sentMessage) {
      this.reportResult(sentMessage, noReply('dot', 'unknown', reason.reply));
    }
    if (envelope && this.refusal) {
      this.reportResult(envelope, this.refusal);
    } else if (envelope) {
      this.owner.onReturned(envelope, sentMessage ? { ...reason, step: 'mail' } : reason);
    }
  }

  private onEnvelopeReply(step: 'mail' | 'rcpt', code: number): void {
    const isAccepted = code >= 200 && code < 300;
    if (isAccepted && step === 'mail') {
      this.hasOpenTransaction = true;
    } else if (!isAccepted) {
      this.refusal ??= classify(step, code, this.reader.text());
    }
    if (this.session.hasPipelining) {
      return;
    }
    if (this.refusal) {
      this.endRefused();
    } else if (this.envelope && step === 'mail') {
      this.writeLine(rcptLine(this.envelope), 'rcpt');
    } else {
      this.writeLine('DATA\r\n', 'data');
    }
  }

  private onDataReply(code: number): void {
    if (code !== 354 && code < 400) {
      this.onUnexpectedDataReply(code);
      return;
    }
    if (code !== 354) {
      this.refusal ??= classify('data', code, this.reader.text());
      this.endRefused();
      return;
    }
    this.hasOpenTransaction = false;
    if (this.refusal) {
      this.writeLine('.\r\n', 'empty');
    } else if (this.envelope) {
      this.sendMessage(this.envelope);
    }
  }

  private onDotReply(code: number): void {
    const handoff = this.sentMessage;
    this.sentMessage = null;
    if (handoff) {
      this.reportResult(handoff, classify('dot', code, this.reader.text()));
    }
    if (!this.envelope) {
      this.continueSending();
    }
  }

  /**
   * The reply neither requests nor refuses the message, so later replies could not be assigned to
   * messages.
   */
  private onUnexpectedDataReply(code: number): void {
    const { envelope, refusal } = this;
    const reason = `Unexpected reply: ${code} ${this.reader.text()}`;
    this.envelope = null;
    this.refusal = null;
    if (envelope) this.reportResult(envelope, refusal ?? noReply('data', 'deferred', reason));
    this.breakOff(reason);
  }

  private endRefused(): void {
    const { envelope, refusal } = this;
    this.envelope = null;
    this.refusal = null;
    this.mustReset = this.hasOpenTransaction;
    this.hasOpenTransaction = false;
    if (envelope && refusal) {
      this.reportResult(envelope, refusal);
    }
    this.continueSending();
  }

  // Writes the next envelope at the offset and returns its end, or the offset if there is no
  // message.
  private putEnvelope(offset: number): number {
    const handoff = this.shiftNext();
    if (!handoff) {
      return offset;
    }
    this.envelope = handoff;
    this.refusal = null;
    const reset = this.mustReset ? 'RSET\r\n' : '';
    if (this.mustReset) {
      this.mustReset = false;
      this.pendingSteps.push('rset');
      if (!this.session.hasPipelining) {
        return offset + this.buffer.write(reset, offset, 'latin1');
      }
    }
    const mailFrom = mailFromLine(handoff, this.session);
    if (!this.session.hasPipelining) {
      this.pendingSteps.push('mail');
      return offset + this.buffer.write(mailFrom, offset);
    }
    this.pendingSteps.push('mail', 'rcpt', 'data');
    return offset + this.buffer.write(`${reset}${mailFrom}${rcptLine(handoff)}DATA\r\n`, offset);
  }

  private writeMailFrom(): void {
    if (this.envelope) {
      this.writeLine(mailFromLine(this.envelope, this.session), 'mail');
    }
  }

  private sendMessage(handoff: H): void {
    let end: number;
    try {
      end = this.render(handoff, 0, true);
    } catch (error) {
      // DATA is open and can only be aborted by closing the connection.
      this.envelope = null;
      this.reportResult(
        handoff,
        refuseLocally('data', '5.6.0', `The message could not be written: ${String(error)}`),
      );
      this.breakOff('The message could not be written.');
      return;
    }
    if (end <= MAX_SINGLE_WRITE_BYTES) {
      this.sendDot(handoff, putDot(this.buffer, 0, end));
      return;
    }
    this.flush(0, end, () => {
      const tail = putDot(this.buffer, 0, end);
      this.buffer.copyWithin(0, end, tail);
      this.sendDot(handoff, tail - end);
    });
  }

  private sendDot(handoff: H, end: number): void {
    this.envelope = null;
    this.sentMessage = handoff;
    this.pendingSteps.push('dot');
    this.send(0, this.session.hasPipelining ? this.putEnvelope(end) : end);
  }
}
