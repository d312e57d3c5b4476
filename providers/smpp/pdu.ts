// Encodes and decodes SMPP 3.4 (SMS Forum, issue 1.2), as far as a client needs it for SMS.

export const COMMAND = {
  nack: 0x80000000,
  submit: 0x04,
  submitResp: 0x80000004,
  deliver: 0x05,
  deliverResp: 0x80000005,
  unbind: 0x06,
  unbindResp: 0x80000006,
  bindTransceiver: 0x09,
  bindTransceiverResp: 0x80000009,
  enquireLink: 0x15,
  enquireLinkResp: 0x80000015,
} as const;

export type Pdu = { command: number; status: number; sequence: number; body: Buffer };

const HEADER = 16;
/** No PDU of an SMS is longer; a longer length means another protocol. */
const MAX_LENGTH = 64 * 1024;

const EMPTY_BODY = Buffer.alloc(0);

export function encodePdu(
  command: number,
  sequence: number,
  body: Buffer = EMPTY_BODY,
  status = 0,
): Buffer {
  const pdu = Buffer.allocUnsafe(HEADER + body.length);
  pdu.writeUInt32BE(pdu.length, 0);
  pdu.writeUInt32BE(command, 4);
  pdu.writeUInt32BE(status, 8);
  pdu.writeUInt32BE(sequence, 12);
  body.copy(pdu, HEADER);
  return pdu;
}

/** Splits received bytes, which arrive in pieces of any size, into whole PDUs. */
export class PduReader {
  private remainder: Buffer = EMPTY_BODY;

  /** @throws if the bytes are not SMPP; the stream cannot be parsed any further */
  read(chunk: Buffer): Pdu[] {
    let bytes = this.remainder.length === 0 ? chunk : Buffer.concat([this.remainder, chunk]);
    const pdus: Pdu[] = [];
    while (bytes.length >= HEADER) {
      const length = bytes.readUInt32BE(0);
      if (length < HEADER || length > MAX_LENGTH) throw new Error('Not SMPP');
      if (bytes.length < length) break;
      pdus.push({
        command: bytes.readUInt32BE(4),
        status: bytes.readUInt32BE(8),
        sequence: bytes.readUInt32BE(12),
        body: bytes.subarray(HEADER, length),
      });
      bytes = bytes.subarray(length);
    }
    this.remainder = bytes;
    return pdus;
  }
}

/** Encodes a C-octet string, which cannot contain a zero byte. */
export const cString = (text: string): Buffer =>
  Buffer.from(`${text.replaceAll('\0', '')}\0`, 'latin1');

/** Reads the fields of a body in order; fields beyond the end are empty. */
export class PduFields {
  private offset = 0;
  private readonly body: Buffer;

  constructor(body: Buffer) {
    this.body = body;
  }

  text(): string {
    const end = this.body.indexOf(0, this.offset);
    const stringEnd = end === -1 ? this.body.length : end;
    const text = this.body.toString('latin1', this.offset, stringEnd);
    this.offset = stringEnd + 1;
    return text;
  }

  readByte(): number {
    return this.body[this.offset++] ?? 0;
  }

  readBytes(length: number): Buffer {
    const bytes = this.body.subarray(this.offset, this.offset + length);
    this.offset += length;
    return bytes;
  }

  /** Returns the remaining bytes as optional parameters. */
  options(): Map<number, Buffer> {
    const options = new Map<number, Buffer>();
    while (this.offset + 4 <= this.body.length) {
      const tag = this.body.readUInt16BE(this.offset);
      const length = this.body.readUInt16BE(this.offset + 2);
      this.offset += 4;
      options.set(tag, this.readBytes(length));
    }
    return options;
  }
}

export type SmppAddress = { ton: number; npi: number; value: string };

/**
 * Returns a sender's or recipient's address and its type: a number (E.164), a short code, or a
 * name.
 */
export function toSmppAddress(value: string): SmppAddress {
  if (/^\+\d+$/.test(value)) return { ton: 1, npi: 1, value: value.slice(1) };
  if (/^\d+$/.test(value)) return { ton: 3, npi: 0, value };
  return { ton: 5, npi: 0, value };
}

export function encodeBind(account: { user: string; secret: string; systemType: string }): Buffer {
  return Buffer.concat([
    cString(account.user),
    cString(account.secret),
    cString(account.systemType),
    Buffer.from([0x34, 0, 0]),
    cString(''),
  ]);
}

export type Submit = {
  from: SmppAddress;
  to: SmppAddress;
  /** Whether a concatenation header precedes the text, as in a multipart SMS. */
  hasHeader: boolean;
  coding: number;
  validity: string;
  message: Buffer;
};

const WITH_HEADER = 0x40;
const REQUEST_RECEIPT = 1;

/** Encodes directly into one buffer, because thousands of PDUs are encoded per second. */
export function encodeSubmit({ from, to, hasHeader, coding, validity, message }: Submit): Buffer {
  const size = 17 + from.value.length + to.value.length + validity.length + message.length;
  const body = Buffer.allocUnsafe(size);
  let offset = 0;
  const byte = (value: number) => {
    body[offset++] = value;
  };
  const text = (value: string) => {
    offset += body.write(value, offset, 'latin1');
    byte(0);
  };
  byte(0);
  byte(from.ton);
  byte(from.npi);
  text(from.value);
  byte(to.ton);
  byte(to.npi);
  text(to.value);
  byte(hasHeader ? WITH_HEADER : 0);
  byte(0);
  byte(0);
  byte(0);
  text(validity);
  byte(REQUEST_RECEIPT);
  byte(0);
  byte(coding);
  byte(0);
  byte(message.length);
  message.copy(body, offset);
  return body.subarray(0, offset + message.length);
}

export type Deliver = {
  from: string;
  to: string;
  esmClass: number;
  coding: number;
  message: Buffer;
  options: Map<number, Buffer>;
};

const MESSAGE_PAYLOAD = 0x0424;

export function decodeDeliver(body: Buffer): Deliver {
  const fields = new PduFields(body);
  fields.text();
  const address = () => {
    const ton = fields.readByte();
    fields.readByte();
    const value = fields.text();
    return ton === 1 && /^\d+$/.test(value) ? `+${value}` : value;
  };
  const sender = address();
  const recipient = address();
  const esmClass = fields.readByte();
  fields.readBytes(2);
  fields.text();
  fields.text();
  fields.readBytes(2);
  const coding = fields.readByte();
  fields.readByte();
  const shortMessage = fields.readBytes(fields.readByte());
  const options = fields.options();
  const message =
    shortMessage.length > 0 ? shortMessage : (options.get(MESSAGE_PAYLOAD) ?? shortMessage);
  return { from: sender, to: recipient, esmClass, coding, message, options };
}

/**
 * Formats an instant for SMPP: `YYMMDDhhmmss`, tenths of a second (0) and the UTC offset (`00+`).
 * Returns an empty string if there is no instant.
 */
export function formatSmppTime(instant: Date | undefined): string {
  return instant ? `${instant.toISOString().replace(/\D/g, '').slice(2, 14)}000+` : '';
}
