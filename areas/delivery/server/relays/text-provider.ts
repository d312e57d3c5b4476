// What delivery asks of a way to hand texts (SMS) over. Kinds live under providers/; the area of texts registers
// them (see setTextChannel and runTextSenders).

import type { PooledRelay } from './pooled-relay.ts';
import type { BaseHandOver, Relay, Source } from './provider.ts';

/** One text to one person, ready to leave. */
export interface TextHandOver extends BaseHandOver {
  readonly accountId: number;
  /** E.164 with its plus. */
  readonly to: string;
  /** The number (E.164) or the name that it comes from. Its pace is kept under it. */
  readonly from: string;
  readonly text: string;
  /** `gsm7`: 160 units a part, 153 of several; `ucs2`: 70 and 67 UTF-16 units. */
  readonly encoding: TextEncoding;
  /** How many parts it is billed as. */
  readonly parts: number;
  /**
   * The copy's signed token: put where the provider echoes it, or into the callback's own address, so that a
   * callback finds its row although our call's answer was lost. `settleText` reads it.
   */
  readonly reference: string;
  /** Where the provider tells what became of it; holds the reference. */
  readonly callbackUrl: string;
  /** No later than this it may be delivered; undefined: whenever. */
  readonly expiresAt: Date | undefined;
}

export type TextEncoding = 'gsm7' | 'ucs2';

/** How a provider of texts starts: bound to its settings, it needs only the source. */
export type OpenTextRelay = <H extends TextHandOver>(source: Source<H>) => Relay;

/** What a provider says of a text whose answer was lost. */
export type Found = 'accepted' | 'absent' | 'cannot_tell';

/** One of several providers used as one. */
export type PooledText = Pick<PooledRelay, 'key' | 'priority' | 'weight' | 'limits' | 'onState'> & {
  /** Parts by the number that sends: of each what it may send a second, a minute … */
  numberLimits: PooledRelay['domainLimits'];
  open: OpenTextRelay;
};

/** One of several parts that a receipt is about. */
export type TextPart = { id: string; of: number };

/** An SMS that a centre's receipt is about, and how many parts it has. */
export type KnownText = { reference: string; of: number };

/** `ids`: as the receipt says it. `aliases`: what it may mean, of an SMS to one of these numbers alone. */
export type AskedReceipt = { ids: string[]; aliases: string[]; numbers: string[] };

/** A network may leave out the plus, and the country's code of its own numbers. */
export function isSameNumber(number: string, to: string): boolean {
  const digits = number.replace(/\D/g, '').replace(/^0+/, '');
  return digits.length >= 6 && to.endsWith(digits);
}

/** What one call of a provider tells. */
export type TextEvent =
  | {
      kind: 'delivered';
      reference: string;
      remoteId: string;
      at: Date;
      costMicros?: number;
      part?: TextPart;
    }
  | {
      kind: 'undelivered';
      reference: string;
      remoteId: string;
      error: string;
      at: Date;
      /** This person told the provider, or the network, to stop. */
      hasLeft?: boolean;
      part?: TextPart;
    }
  | { kind: 'inbound'; from: string; to: string; text: string; remoteId: string; at: Date }
  | { kind: 'opted_out'; from: string; to: string; remoteId: string; at: Date };

/** Reads a provider's calls. */
export type TextReader = {
  readonly provider: string;
  /** `undefined`: not signed by this key. `reply` is what the provider wants to hear. */
  read(
    call: { url: string; headers: Readonly<Record<string, string | undefined>>; body: Buffer },
    key: string,
  ): { told: TextEvent[]; reply: { type: string; body: string } } | undefined;
};
