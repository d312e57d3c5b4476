// Interface of SMS providers. Implementations are in providers/; main/ passes them to
// runSmsSenders.

import type { PooledRelay } from './pooled-relay.ts';
import type { BaseHandoff, RelayConnection, HandoffSource } from './provider.ts';

/** One SMS to one recipient, ready to be sent. */
export interface SmsHandoff extends BaseHandoff {
  readonly accountId: number;
  /** The recipient's number in E.164 form, including the plus. */
  readonly to: string;
  /** The sender number (E.164) or name; also the key of its rate limit. */
  readonly from: string;
  readonly text: string;
  /**
   * `gsm7`: 160 units in a single part, otherwise 153 per part. `ucs2`: 70 or 67 UTF-16 units.
   */
  readonly encoding: TextEncoding;
  /** Number of billed parts. */
  readonly parts: number;
  /**
   * The copy's signed token, which receipts return in a field or in the callback URL. So
   * `settleSms` finds the copy even if the reply to our request was lost.
   */
  readonly reference: string;
  /** URL for the provider's receipts; includes the reference. */
  readonly callbackUrl: string;
  /** Latest time of delivery; undefined for no limit. */
  readonly expiresAt: Date | undefined;
}

export type TextEncoding = 'gsm7' | 'ucs2';

/** Starts an SMS provider; the function already has its settings. */
export type OpenSmsRelay = <H extends SmsHandoff>(source: HandoffSource<H>) => RelayConnection;

/** Settings of an SMS provider in a pool. */
export type PooledSms = Pick<PooledRelay, 'key' | 'priority' | 'weight' | 'limits' | 'onState'> & {
  /** Limits by sending number. Their unit is the part, not the SMS. */
  numberLimits: PooledRelay['domainLimits'];
  open: OpenSmsRelay;
};

/** The part that a receipt is about, and the number of the SMS's parts. */
export type TextPart = { id: string; partCount: number };

/**
 * The reference of the SMS that a receipt of a message center is about, and the number of the SMS's
 * parts.
 */
export type KnownSms = { reference: string; partCount: number };

/**
 * `ids` are as in the receipt. `aliases` are other forms of them, valid only for an SMS to one of
 * the numbers.
 */
export type ReceiptQuery = { ids: string[]; aliases: string[]; numbers: string[] };

/**
 * Returns whether both numbers are the same. A network may have shortened the first one: it may
 * omit the plus and the country code of its own numbers.
 */
export function isSameNumber(number: string, to: string): boolean {
  const digits = number.replace(/\D/g, '').replace(/^0+/, '');
  return digits.length >= 6 && to.endsWith(digits);
}

/** An event that a provider reports. */
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

/** Reads the callbacks of one provider. */
export type SmsReader = {
  readonly provider: string;
  /** Returns undefined if the call is not signed with this key. `reply` is the response to send. */
  read(
    call: { url: string; headers: Readonly<Record<string, string | undefined>>; body: Buffer },
    key: string,
  ): { events: SmsEvent[]; reply: { type: string; body: string } } | undefined;
};
