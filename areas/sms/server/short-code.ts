// The code of a short link: account, message, link and person, with a tag of 48 bits that only this
// installation makes. 20 characters of base64url, 24 where an installation has become large.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { derivedKey } from '#platform/server/secrets.ts';

export type ShortFacts = { account: number; message: number; position: number; subscriber: number };

type Widths = { account: bigint; message: bigint; position: bigint; subscriber: bigint };

const LAYOUTS: readonly { bytes: number; widths: Widths }[] = [
  { bytes: 15, widths: { account: 10n, message: 20n, position: 5n, subscriber: 37n } },
  { bytes: 18, widths: { account: 24n, message: 28n, position: 5n, subscriber: 39n } },
];
const TAG_BYTES = 6;

/** Of one message they all have one length. */
const layoutOf = ({ account, message }: Pick<ShortFacts, 'account' | 'message'>) =>
  LAYOUTS[account < 2 ** 10 && message < 2 ** 20 ? 0 : 1] as (typeof LAYOUTS)[number];

export function makeShortCode(facts: ShortFacts): string {
  const { bytes, widths } = layoutOf(facts);
  let value = 0n;
  for (const name of ['account', 'message', 'position', 'subscriber'] as const) {
    const part = BigInt(facts[name]);
    if (part < 0n || part >= 1n << widths[name]) throw new RangeError(`No code for ${facts[name]}`);
    value = (value << widths[name]) | part;
  }
  const data = Buffer.from(value.toString(16).padStart((bytes - TAG_BYTES) * 2, '0'), 'hex');
  return Buffer.concat([data, tagOf(data)]).toString('base64url');
}

/** Undefined where this installation made no such code. */
export function readShortCode(code: string): ShortFacts | undefined {
  const layout = LAYOUTS.find(({ bytes }) => code.length === (bytes * 4) / 3);
  if (!layout || !/^[A-Za-z0-9_-]+$/.test(code)) return undefined;
  const raw = Buffer.from(code, 'base64url');
  const data = raw.subarray(0, layout.bytes - TAG_BYTES);
  if (!timingSafeEqual(raw.subarray(data.length), tagOf(data))) return undefined;
  let value = BigInt(`0x${data.toString('hex')}`);
  const facts: ShortFacts = { account: 0, message: 0, position: 0, subscriber: 0 };
  for (const name of ['subscriber', 'position', 'message', 'account'] as const) {
    facts[name] = Number(value & ((1n << layout.widths[name]) - 1n));
    value >>= layout.widths[name];
  }
  return facts;
}

const tagOf = (data: Buffer) =>
  createHmac('sha256', derivedKey('short links')).update(data).digest().subarray(0, TAG_BYTES);
