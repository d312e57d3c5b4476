// The lines before a message (MAIL, RCPT), the reasons to refuse it before sending, and the end of
// its text: dot stuffing, CRLF and the final dot.
import { domainToASCII } from 'node:url';
import type { HandoffResult, Handoff } from '#areas/delivery/server/relays/provider.ts';
import { refuseLocally } from './classify.ts';
import type { SmtpSession } from './opening.ts';

/** RFC 5321 4.5.3.1.3 allows 256; longer addresses exist in practice. */
const MAX_ADDRESS_LENGTH = 1_000;
/** Maximum bytes of RSET, `mailFromLine`, `rcptLine` and DATA or BDAT. */
export const ENVELOPE_BYTES = 2 * MAX_ADDRESS_LENGTH * 3 + 200;

const PLAIN_ADDRESS = /^[\x21-\x3b\x3d\x3f-\x7e]*$/;
const NEVER_IN_ADDRESS = /[\u0000-\u0020<>\u007f]/;

const CR = 13;
const LF = 10;
const DOT = 46;

export function mailFromLine(handoff: Handoff, session: SmtpSession): string {
  const size = session.hasSize ? ` SIZE=${handoff.size}` : '';
  const body = handoff.isEightBit ? ' BODY=8BITMIME' : '';
  const utf8 = needsUtf8(handoff) ? ' SMTPUTF8' : '';
  return `MAIL FROM:<${encodeDomain(handoff.from)}>${size}${body}${utf8}\r\n`;
}

export function rcptLine(handoff: Handoff): string {
  return `RCPT TO:<${encodeDomain(handoff.to)}>\r\n`;
}

/** Returns the result if this relay cannot accept the message at all, otherwise null. */
export function findRefusalReason(handoff: Handoff, session: SmtpSession): HandoffResult | null {
  if (!isAddress(handoff.from) || !isAddress(handoff.to) || handoff.to === '') {
    const refusalScope = isAddress(handoff.from) ? 'recipient' : 'sender';
    return refuseLocally(
      refusalScope === 'sender' ? 'mail' : 'rcpt',
      refusalScope === 'sender' ? '5.1.7' : '5.1.3',
      'The address contains invalid characters.',
      refusalScope,
    );
  }
  if (session.maxBytes > 0 && handoff.size > session.maxBytes) {
    return refuseLocally('mail', '5.3.4', `Larger than the relay's ${session.maxBytes} bytes.`);
  }
  if (handoff.isEightBit && !session.hasEightBit) {
    return refuseLocally('mail', '5.6.3', 'The relay accepts only 7-bit messages.');
  }
  if (!session.hasUtf8 && needsUtf8(handoff)) {
    return refuseLocally('mail', '5.6.7', 'The relay accepts only ASCII addresses (no SMTPUTF8).');
  }
  return null;
}

function isAddress(address: string): boolean {
  return (
    address.length <= MAX_ADDRESS_LENGTH &&
    (PLAIN_ADDRESS.test(address) || !NEVER_IN_ADDRESS.test(address))
  );
}

function needsUtf8({ from, to, isUtf8Header }: Handoff): boolean {
  return isUtf8Header === true || !isPlain(from) || !isPlain(to);
}

/** Returns whether the address is ASCII, possibly after encoding its domain. */
function isPlain(address: string): boolean {
  return PLAIN_ADDRESS.test(address) || PLAIN_ADDRESS.test(encodeDomain(address));
}

// Encodes a domain outside ASCII (RFC 5891); a local part has no such encoding.
function encodeDomain(address: string): string {
  if (PLAIN_ADDRESS.test(address)) {
    return address;
  }
  const atIndex = address.lastIndexOf('@');
  const domain = domainToASCII(address.slice(atIndex + 1));
  return domain === '' ? address : `${address.slice(0, atIndex)}@${domain}`;
}

/** Returns the number of dots that `stuffDots` would add between start and end. */
export function countDots(buffer: Buffer, start: number, end: number): number {
  let dots = buffer[start] === DOT && start < end ? 1 : 0;
  for (
    let dotIndex = buffer.indexOf('\n.', start, 'latin1');
    dotIndex >= 0 && dotIndex + 1 < end;
  ) {
    dots++;
    dotIndex = buffer.indexOf('\n.', dotIndex + 2, 'latin1');
  }
  return dots;
}

/**
 * Stuffs dots in place (RFC 5321 4.5.2); the buffer must have space for `dots` more bytes. Returns
 * the new end.
 */
export function stuffDots(buffer: Buffer, start: number, end: number, dots: number): number {
  let readIndex = end - 1;
  let writeIndex = end - 1 + dots;
  while (writeIndex > readIndex) {
    const byte = buffer[readIndex] ?? 0;
    buffer[writeIndex--] = byte;
    if (byte === DOT && (readIndex === start || buffer[readIndex - 1] === LF)) {
      buffer[writeIndex--] = DOT;
    }
    readIndex--;
  }
  return end + dots;
}

/** Ends the message with CRLF if it does not already; returns the new end. */
export function putEnd(buffer: Buffer, start: number, end: number): number {
  if (end - start >= 2 && buffer[end - 2] === CR && buffer[end - 1] === LF) {
    return end;
  }
  buffer[end] = CR;
  buffer[end + 1] = LF;
  return end + 2;
}

/** Writes the dot after the message, and the CRLF before it if missing. */
export function putDot(buffer: Buffer, start: number, end: number): number {
  let endOffset = putEnd(buffer, start, end);
  buffer[endOffset++] = DOT;
  buffer[endOffset++] = CR;
  buffer[endOffset++] = LF;
  return endOffset;
}
