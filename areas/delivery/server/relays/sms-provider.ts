// Interface of SMS providers. Implementations are in providers/; the area of SMS registers them
// (see setSmsChannel and runSmsSenders).

import type { PooledRelay } from './pooled-relay.ts';
import type { BaseHandoff, Relay, Source } from './provider.ts';

/** One SMS to one recipient, ready to leave. */
export interface SmsHandoff extends BaseHandoff {
  readonly accountId: number;
  /** E.164 with its plus. */
  readonly to: string;
  /** The sender number (E.164) or name; also the key of its rate limit. */
  readonly from: string;
  readonly text: string;
  /** `gsm7`: 160 units a part, 153 of several; `ucs2`: 70 and 67 UTF-16 units. */
  readonly encoding: TextEncoding;
  /** Number of billed parts. */
  readonly parts: number;
  /**
   * The copy's signed token: in a field that the provider echoes, or in the callback URL, so that a
   * receipt finds its row even if the reply to our request was lost. `settleSms` reads it.
   */
  readonly reference: string;
  /** URL for the provider's receipts; includes the reference. */
  readonly callbackUrl: string;
  /** Latest time of delivery; undefined for no limit. */
  readonly expiresAt: Date | undefined;
}

export type TextEncoding = 'gsm7' | 'ucs2';

/** Starts an SMS provider: bound to its settings, it needs only the source. */
export type OpenSmsRelay = <H extends SmsHandoff>(source: Source<H>) => Relay;

/** One provider of a pool. */
export type PooledSms = Pick<PooledRelay, 'key' | 'priority' | 'weight' | 'limits' | 'onState'> & {
  /** Limits per sending number, in parts per second, minute … */
  numberLimits: PooledRelay['domainLimits'];
  open: OpenSmsRelay;
};

/** One of several parts that a receipt is about. */
export type TextPart = { id: string; of: number };

/** The SMS of a center's receipt, and its number of parts. */
export type KnownSms = { reference: string; of: number };

/**
 * `ids`: as in the receipt. `aliases`: other readings of the id, valid only for an SMS to one of
 * these numbers.
 */
export type ReceiptQuery = { ids: string[]; aliases: string[]; numbers: string[] };

/** Compares numbers: a network may omit the plus, and the country code of its own numbers. */
export function isSameNumber(number: string, to: string): boolean {
  const digits = number.replace(/\D/g, '').replace(/^0+/, '');
  return digits.length >= 6 && to.endsWith(digits);
}

/** Events in one call of a provider. */
export type SmsEvent =
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
      /** The recipient opted out with the provider or the network. */
      hasOptedOut?: boolean;
      part?: TextPart;
    }
  | { kind: 'inbound'; from: string; to: string; text: string; remoteId: string; at: Date }
  | { kind: 'opted_out'; from: string; to: string; remoteId: string; at: Date };

/** Reads a provider's callbacks. */
export type SmsReader = {
  readonly provider: string;
  /** `undefined`: not signed with this key. `reply` is the response that the provider expects. */
  read(
    call: { url: string; headers: Readonly<Record<string, string | undefined>>; body: Buffer },
    key: string,
  ): { events: SmsEvent[]; reply: { type: string; body: string } } | undefined;
};
