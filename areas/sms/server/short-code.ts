// Codes of short links. A code contains account, message, link and recipient, and a 48-bit tag that
// only this installation can compute. It has 20 characters (base64url), or 24 if account or message
// have large IDs.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '#platform/server/secrets.ts';

/** `single` is the ID of a single send, which replaces the subscriber; otherwise 0. */
export type ShortCodeFields = {
  account: number;
  message: number;
  position: number;
  subscriber: number;
  single: number;
};

/** Bits of each field. `recipient` is a subscriber or, if its top bit is set, a single send. */
type Widths = { account: bigint; message: bigint; position: bigint; recipient: bigint };

const LAYOUTS: readonly { bytes: number; widths: Widths }[] = [
  { bytes: 15, widths: { account: 10n, message: 20n, position: 5n, recipient: 37n } },
  { bytes: 18, widths: { account: 24n, message: 28n, position: 5n, recipient: 39n } },
];
const TAG_BYTES = 6;

/**
 * Chooses the layout by account and message so that all codes of a message have the same length.
 */
const chooseLayout = ({ account, message }: Pick<ShortCodeFields, 'account' | 'message'>) =>
  LAYOUTS[account < 2 ** 10 && message < 2 ** 20 ? 0 : 1] as (typeof LAYOUTS)[number];

export function makeShortCode(fields: ShortCodeFields): string {
  const { bytes, widths } = chooseLayout(fields);
  const { account, message, position, subscriber, single } = fields;
  const isSingle = 1n << (widths.recipient - 1n);
  const recipient = BigInt(single || subscriber);
  if (recipient >= isSingle)
    throw new RangeError(`The ID ${recipient} does not fit into a short code`);
  const values = {
    account,
    message,
    position,
    recipient: single ? recipient | isSingle : recipient,
  };
  let value = 0n;
  for (const name of ['account', 'message', 'position', 'recipient'] as const) {
    const fieldValue = BigInt(values[name]);
    if (fieldValue < 0n || fieldValue >= 1n << widths[name])
      throw new RangeError(`${name} ${fieldValue} does not fit into a short code`);
    value = (value << widths[name]) | fieldValue;
  }
  const data = Buffer.from(value.toString(16).padStart((bytes - TAG_BYTES) * 2, '0'), 'hex');
  return Buffer.concat([data, createTag(data)]).toString('base64url');
}

/** Decodes a short link; returns undefined if this installation did not issue its code. */
export function readShortCode(code: string): ShortCodeFields | undefined {
  const layout = LAYOUTS.find(({ bytes }) => code.length === (bytes * 4) / 3);
  if (!layout || !/^[A-Za-z0-9_-]+$/.test(code)) return undefined;
  const raw = Buffer.from(code, 'base64url');
  const data = raw.subarray(0, layout.bytes - TAG_BYTES);
  if (!timingSafeEqual(raw.subarray(data.length), createTag(data))) return undefined;
  let value = BigInt(`0x${data.toString('hex')}`);
  const { widths } = layout;
  const values = { account: 0n, message: 0n, position: 0n, recipient: 0n };
  for (const name of ['recipient', 'position', 'message', 'account'] as const) {
    values[name] = value & ((1n << widths[name]) - 1n);
    value >>= widths[name];
  }
  const isSingle = 1n << (widths.recipient - 1n);
  const [subscriber, single] =
    values.recipient >= isSingle
      ? [0, Number(values.recipient - isSingle)]
      : [Number(values.recipient), 0];
  return {
    account: Number(values.account),
    message: Number(values.message),
    position: Number(values.position),
    subscriber,
    single,
  };
}

const createTag = (data: Buffer) =>
  createHmac('sha256', deriveKey('short links')).update(data).digest().subarray(0, TAG_BYTES);
