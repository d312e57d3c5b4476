// Parses messages from an SMSC: receipts of our SMS, and inbound SMS.
import { randomUUID } from 'node:crypto';
import type { SmsEvent } from '#areas/delivery/server/sender/index.ts';
import { type Alphabet, decodeText, isUcs2 } from './alphabet.ts';
import { type Deliver, decodeDeliver } from './pdu.ts';

/** A receipt identifies its SMS by the SMSC's id and both numbers. */
export type Receipt = { id: string; numbers: string[]; isDelivered: boolean; error: string };

export type DeliverSmResult = { receipt: Receipt } | { event: SmsEvent } | undefined;

const RECEIPT = 0x04;
/** The handset's own acknowledgment, which some SMSCs use for receipts. */
const ACKNOWLEDGED = 0x08;
const TYPE_MASK = 0x3c;
const HAS_HEADER = 0x40;
const RECEIPTED_ID = 0x001e;
const MESSAGE_STATE = 0x0427;
/** Names of the values of message_state (5.2.28). */
const STATES: Record<number, string> = {
  ...{ 1: 'ENROUTE', 2: 'DELIVRD', 3: 'EXPIRED', 4: 'DELETED', 5: 'UNDELIV', 6: 'ACCEPTD' },
  ...{ 7: 'UNKNOWN', 8: 'REJECTD' },
};
/** The standard final states (appendix B) and the variants that SMSCs write. */
const DELIVERED = new Set(['DELIVRD', 'DELIVERED']);
const FAILED_STATES = new Set([
  ...['EXPIRED', 'DELETED', 'UNDELIV', 'REJECTD', 'UNDELIVERED', 'UNDELIVERABLE'],
  ...['REJECTED', 'FAILED'],
]);
/**
 * An SMS that is still incomplete after this time is discarded; its parts normally arrive within
 * seconds.
 */
const MAX_JOIN_MS = 120_000;
const MAX_JOINING = 10_000;

export class ReceiptReader {
  private readonly alphabet: Alphabet;
  /** Incomplete SMS by sender, our number, reference and number of parts. */
  private readonly incomplete = new Map<
    string,
    { parts: Map<number, Buffer>; startedAt: number }
  >();

  constructor(alphabet: Alphabet) {
    this.alphabet = alphabet;
  }

  read(body: Buffer): DeliverSmResult {
    const deliver = decodeDeliver(body);
    if (isReceipt(deliver)) return receiptOf(deliver, this.alphabet);
    if ((deliver.esmClass & TYPE_MASK) !== 0) return undefined;
    const message = this.joinParts(deliver);
    if (message === undefined) return undefined;
    const { from, to, coding } = deliver;
    const now = new Date();
    const text = decodeText(message, coding, this.alphabet);
    // The SMSC assigns no id, and identical SMS are separate events: STOP, START, STOP are three
    // events.
    return { event: { kind: 'inbound', from, to, text, remoteId: randomUUID(), at: now } };
  }

  /** The message without its header; undefined while parts are missing. */
  private joinParts({ from, to, esmClass, message, options }: Deliver): Buffer | undefined {
    const hasHeader = (esmClass & HAS_HEADER) !== 0;
    const length = hasHeader ? (message[0] ?? 0) + 1 : 0;
    const content = message.subarray(length);
    const join = hasHeader ? joinOf(message.subarray(1, length)) : segmentOf(options);
    if (!join || join.partCount < 2) return content;
    const now = performance.now();
    for (const [key, { startedAt }] of this.incomplete) {
      if (now - startedAt > MAX_JOIN_MS || this.incomplete.size > MAX_JOINING)
        this.incomplete.delete(key);
      else break;
    }
    const key = `${from} ${to} ${join.number} ${join.partCount}`;
    const pending = this.incomplete.get(key) ?? { parts: new Map(), startedAt: now };
    pending.parts.set(join.partNumber, content);
    this.incomplete.set(key, pending);
    if (pending.parts.size < join.partCount) return undefined;
    this.incomplete.delete(key);
    const positions = [...pending.parts.keys()].toSorted((a, b) => a - b);
    return Buffer.concat(positions.map((position) => pending.parts.get(position) as Buffer));
  }
}

const SEGMENT = { number: 0x020c, of: 0x020e, at: 0x020f } as const;

/** Returns a part's position, if optional parameters specify it (5.3.2.22). */
function segmentOf(options: Deliver['options']): Join | undefined {
  const [number, partCount, partNumber] = [SEGMENT.number, SEGMENT.of, SEGMENT.at].map((tag) =>
    options.get(tag),
  );
  if (number?.length !== 2 || !partCount?.length || !partNumber?.length) return undefined;
  return {
    number: number.readUInt16BE(0),
    partCount: partCount[0] as number,
    partNumber: partNumber[0] as number,
  };
}

type Join = { number: number; partCount: number; partNumber: number };

function joinOf(header: Buffer): Join | undefined {
  for (let offset = 0; offset + 1 < header.length; ) {
    const [kind, length] = [header[offset] as number, header[offset + 1] as number];
    const value = header.subarray(offset + 2, offset + 2 + length);
    if (kind === 0 && value.length === 3) {
      return {
        number: value[0] as number,
        partCount: value[1] as number,
        partNumber: value[2] as number,
      };
    }
    if (kind === 8 && value.length === 4) {
      return {
        number: value.readUInt16BE(0),
        partCount: value[2] as number,
        partNumber: value[3] as number,
      };
    }
    offset += 2 + length;
  }
  return undefined;
}

/** Recognizes a receipt by its class, or by its parameters if the SMSC omits the class. */
function isReceipt({ esmClass, options }: Deliver): boolean {
  const type = esmClass & TYPE_MASK;
  if (type === RECEIPT || type === ACKNOWLEDGED) return true;
  return type === 0 && options.has(RECEIPTED_ID) && options.has(MESSAGE_STATE);
}

function receiptOf(
  { message, options, coding, from, to }: Deliver,
  alphabet: Alphabet,
): DeliverSmResult {
  const text = isUcs2(coding) ? decodeText(message, coding, alphabet) : message.toString('latin1');
  const receiptedId = options.get(RECEIPTED_ID)?.toString('latin1').replace(/\0.*$/s, '');
  const id = receiptedId || (/\bid:\s*([^\s,;]+)/i.exec(text)?.[1] ?? '');
  const stateCode = options.get(MESSAGE_STATE)?.[0];
  const state =
    stateCode === undefined
      ? (/\bstat:\s*(\w+)/i.exec(text)?.[1] ?? '').toUpperCase()
      : STATES[stateCode];
  if (id === '' || state === undefined) return undefined;
  const isDelivered = DELIVERED.has(state);
  if (!isDelivered && !FAILED_STATES.has(state)) return undefined;
  const err = /\berr:\s*(\w+)/i.exec(text)?.[1] ?? '';
  const error = `${state} ${err}`.trim();
  return { receipt: { id, numbers: [from, to], isDelivered, error } };
}

/**
 * Returns the possible spellings of an id, because many SMSCs respond to a submission in
 * hexadecimal and write receipts in decimal.
 */
export function alternativeIds(id: string): string[] {
  const normalizedId = id.toLowerCase().replace(/^0+(?=.)/, '');
  const names = [id, normalizedId];
  if (/^\d{1,20}$/.test(normalizedId)) names.push(BigInt(normalizedId).toString(16));
  if (/^[0-9a-f]{1,16}$/.test(normalizedId)) names.push(BigInt(`0x${normalizedId}`).toString());
  return [...new Set(names)];
}
