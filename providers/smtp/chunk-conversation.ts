// Delivery by BDAT (RFC 3030 CHUNKING) with PIPELINING. One write contains a message and its
// envelope, and it does not wait for the reply to the previous message. Two messages are thus in
// flight on a connection, and each takes half a round trip. Only the last bytes of a large message
// need a second write. Dots need no stuffing.
//
// The result of a message is not known yet when the next one is written, and a refused BDAT may
// leave its transaction open. A message that is written after a refusal, or before the result of
// the previous message is known, therefore begins with RSET. Without it, the message could become
// part of that transaction.
import type { HandoffResult, Handoff } from '#areas/delivery/server/relays/provider.ts';
import { classify, noReply, refuseLocally } from './classify.ts';
import { Conversation, MAX_SINGLE_WRITE_BYTES, type CommandStep } from './conversation.ts';
import { ENVELOPE_BYTES, mailFromLine, putEnd, rcptLine } from './envelope.ts';

const MAX_IN_FLIGHT = 2;
/** The last bytes of a large message, sent only after the rest has left this process. */
const WITHHELD_BYTES = 2;

export class ChunkConversation<H extends Handoff> extends Conversation<H> {
  /** Completely written messages awaiting a reply, oldest first. */
  private readonly sentMessages: H[] = [];
  private partlySent: H | null = null;
  /** The first refusal in the oldest message's envelope. */
  private refusal: HandoffResult | null = null;
  private mustReset = false;

  override get isIdle(): boolean {
    return this.sentMessages.length === 0 && this.partlySent === null;
  }

  protected override writeMessages(): boolean {
    let hasStarted = false;
    while (this.sentMessages.length < MAX_IN_FLIGHT && !this.isFlushing) {
      const handoff = this.shiftNext();
      if (!handoff) {
        break;
      }
      hasStarted = this.writeMessage(handoff) || hasStarted;
    }
    return hasStarted;
  }

  protected override onStep(step: CommandStep, code: number): void {
    if (step === 'mail' || step === 'rcpt') {
      if (code < 200 || code >= 300) {
        this.refusal ??= classify(step, code, this.reader.text());
      }
      return;
    }
    if (step !== 'bdat') {
      return;
    }
    const { refusal } = this;
    const handoff = this.sentMessages.shift();
    this.refusal = null;
    this.mustReset = refusal !== null || code >= 300;
    if (handoff) {
      this.reportResult(handoff, refusal ?? classify('dot', code, this.reader.text()));
    }
    this.continueSending();
  }

  protected override releasePartlySent(): H | null {
    const { partlySent } = this;
    this.partlySent = null;
    return partlySent;
  }

  protected override abandon(reason: HandoffResult): void {
    const { partlySent } = this;
    this.partlySent = null;
    for (const handoff of this.sentMessages.splice(0)) {
      if (this.refusal) {
        this.reportResult(handoff, this.refusal);
        this.refusal = null;
      } else if (reason.code === 421) {
        this.owner.onReturned(handoff, { ...reason, step: 'mail' });
      } else {
        this.reportResult(handoff, noReply('dot', 'unknown', reason.reply));
      }
    }
    if (partlySent) {
      this.owner.onReturned(partlySent, reason);
    }
  }

  // Reserves space for the envelope, writes the message after it, then writes the envelope so that
  // it ends where the message begins.
  private writeMessage(handoff: H): boolean {
    let end: number;
    try {
      end = this.render(handoff, ENVELOPE_BYTES, false);
    } catch (error) {
      this.reportResult(
        handoff,
        refuseLocally('data', '5.6.0', `The message could not be written: ${String(error)}`),
      );
      return false;
    }
    end = putEnd(this.buffer, ENVELOPE_BYTES, end);
    const envelopeStart = this.putEnvelope(handoff, end - ENVELOPE_BYTES);
    if (end - ENVELOPE_BYTES <= MAX_SINGLE_WRITE_BYTES) {
      this.sentMessages.push(handoff);
      this.send(envelopeStart, end);
      return true;
    }
    this.partlySent = handoff;
    this.flush(envelopeStart, end - WITHHELD_BYTES, () => {
      this.partlySent = null;
      this.sentMessages.push(handoff);
      this.send(end - WITHHELD_BYTES, end);
      this.feed();
    });
    return true;
  }

  private putEnvelope(handoff: H, size: number): number {
    const isReset = this.mustReset || this.sentMessages.length > 0;
    const mailFrom = mailFromLine(handoff, this.session);
    const envelope = `${isReset ? 'RSET\r\n' : ''}${mailFrom}${rcptLine(handoff)}BDAT ${size} LAST\r\n`;
    const envelopeStart = ENVELOPE_BYTES - Buffer.byteLength(envelope);
    this.buffer.write(envelope, envelopeStart);
    this.mustReset = false;
    if (isReset) {
      this.pendingSteps.push('rset');
    }
    this.pendingSteps.push('mail', 'rcpt', 'bdat');
    return envelopeStart;
  }
}
