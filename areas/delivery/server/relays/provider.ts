// Interface of relay providers (SMTP, HTTP APIs). Implementations are in providers/; only main/
// depends on them. A relay pulls: when a connection is free it requests the next handoff from its
// `HandoffSource`, so priorities are decided at the last moment, nothing is queued twice, and no
// promise is created per message. The relay reports each reply by `HandoffSource.onResult`; the
// source collects the replies and records several at once.
import { isAscii } from 'node:buffer';
import type { CopyFields } from '../feedback/copy-fields.ts';

/** The part of a handoff that pools use, on every channel. */
export interface BaseHandoff {
  /** The sender: a return path, a number or a name. */
  readonly from: string;
  /** The sender for which pools record a relay's refusal, if this is not `from`. */
  readonly sender?: string;
  /** The recipient's address. */
  readonly to: string;
  /**
   * Key of the limit that applies, if that is not the recipient's domain: for SMS, the sending
   * number.
   */
  readonly pace?: string;
  /** How many units of a limit the handoff uses: the parts of an SMS; one if undefined. */
  readonly cost?: number;
  /**
   * Whether a user waits for it. Among the handoffs that a pool sets aside, urgent ones are sent
   * first.
   */
  readonly isUrgent?: boolean;
  /**
   * Whether it may use the reserve of an hourly or daily limit, as password resets and receipts
   * may.
   */
  readonly mayUseReserve?: boolean;
}

/**
 * One email to one recipient, ready to be sent. The sender extends it with its ledger row; the
 * relay reads and writes only the members listed here.
 */
export interface Handoff extends BaseHandoff {
  /** Return path without angle brackets; '' for the null sender of RFC 5321 4.5.5. */
  readonly from: string;
  /** The address in the From field. */
  readonly sender?: string;
  /**
   * The recipient's address. A non-ASCII address requires a relay with SMTPUTF8 (RFC 6531).
   */
  readonly to: string;
  /**
   * Maximum number of bytes that `write` writes; known once the relay has set the fields below.
   * Also declared as SIZE (RFC 1870).
   */
  readonly size: number;
  /**
   * Writes the message (RFC 5322, lines end with CRLF) into the connection's reused buffer and
   * returns the offset after its last byte. It is called just before these bytes are sent, and
   * again only if the connection died before the final dot. It must not retain the buffer, which
   * belongs to the relay. If it throws, the result is `failed` with `scope: 'message'`, and the
   * relay closes the connection.
   */
  write(into: Buffer, offset: number): number;
  /** Whether no line begins with a dot, so that the relay need not stuff dots (RFC 5321 4.5.2). */
  readonly isDotSafe: boolean;
  /**
   * Whether the body has bytes above 127 (RFC 6152); the result is `failed` if the relay lacks
   * 8BITMIME.
   */
  readonly isEightBit?: boolean;
  /** Whether the header contains UTF-8 (RFC 6532). */
  readonly isUtf8Header?: boolean;
  /** Set before `write` is called: the relay signs the message, so we add no signature. */
  isSignedByRelay?: boolean;
  /**
   * Set before `write` is called: the header fields that identify a copy in this relay's reports.
   */
  fields?: CopyFields | undefined;
}

/** A handoff whose message is complete in advance, such as a test of a relay. */
export class WholeMessage implements Handoff {
  readonly from: string;
  readonly to: string;
  readonly size: number;
  readonly isDotSafe = false;
  readonly isEightBit: boolean;
  readonly message: Buffer;

  constructor(from: string, to: string, message: Buffer) {
    this.from = from;
    this.to = to;
    this.message = message;
    this.size = message.length;
    this.isEightBit = !isAscii(message);
  }

  write(into: Buffer, offset: number): number {
    return offset + this.message.copy(into, offset);
  }
}

/**
 * - `accepted`: the relay has the message (with SMTP, it replied 250 to the final dot).
 * - `deferred`: not accepted now; may be retried. `scope` is the cause: only `recipient`, `message`
 * and `domain` count as a failed attempt, and only without `retryInMs`.
 * - `failed`: refused permanently. It can concern the subscriber only with `scope: 'recipient'`, or
 * if it is a reply to RCPT.
 * - `unknown`: the connection died, or timed out, between the end of the message and the reply.
 * Only emails that are single sends are retried automatically.
 * - `relay_refused`: the relay refuses *us* (return path, account, quota), without having judged
 *   the message. The message should be paused and no address suppressed.
 */
export type HandoffOutcome = 'accepted' | 'deferred' | 'failed' | 'unknown' | 'relay_refused';

/**
 * What a reply is about. With `deferred`, `relay` means that the relay as a whole requests a lower
 * rate or a later time, and `domain` that the mailbox provider of the recipient's domain does.
 */
export type ResultScope = 'recipient' | 'message' | 'sender' | 'relay' | 'domain' | 'connection';

/** Step or SMTP command that the reply belongs to; `request` is used for HTTP APIs. */
export type SmtpStep =
  | 'connect'
  | 'banner'
  | 'ehlo'
  | 'starttls'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'dot'
  | 'request';

export interface HandoffResult {
  readonly outcome: HandoffOutcome;
  readonly scope: ResultScope;
  readonly step: SmtpStep;
  /** The three digits (RFC 5321 4.2); 0 without a reply. */
  readonly code: number;
  /** Enhanced status code such as '5.1.1' (RFC 3463); empty if there is none. */
  readonly enhancedCode: string;
  /** The relay's reply without the codes, as one line of at most 500 characters. */
  readonly reply: string;
  /** The name of the relay within a pool; set by the pool. */
  readonly relay?: string;
  /** Milliseconds until the next attempt; set only for our own limits. */
  readonly retryInMs?: number;
  /** SMS only. */
  readonly sms?: SmsResult;
}

/** Further data from a provider's reply to an accepted or permanently refused SMS. */
export type SmsResult = {
  /** The provider's ID of the SMS. */
  remoteId?: string;
  /** The ID of each part, for an SMS of several parts whose receipts refer to parts. */
  partIds?: string[];
  /** Number of billed parts; undefined if the provider does not report it. */
  parts?: number;
  /** Price in millionths of the provider's billing currency. */
  costMicros?: number;
  /** Of a refused SMS: the number does not exist. */
  isUnknownRecipient?: boolean;
  /**
   * Of a refused SMS: the recipient opted out with the provider (Twilio's 21610 and similar).
   */
  hasOptedOut?: boolean;
};

/** Source of a relay's handoffs. Its methods are synchronous and must not throw. */
export interface HandoffSource<H extends BaseHandoff = Handoff> {
  /**
   * Returns how many handoffs `next` can return now. The relay uses it to decide how many
   * connections to open.
   */
  countReady(isReserveOnly?: boolean): number;
  /**
   * Returns the next handoff, the most urgent first, or null if there is none. After null, the
   * source must `wake` the relay once there is a handoff. The handoff must be committed as started
   * in the ledger because its first byte may be sent immediately. With `isReserveOnly`, only
   * handoffs with `mayUseReserve` are returned; the others stay in the queue.
   */
  next(isReserveOnly?: boolean): H | null;
  /** Called exactly once for each handoff from `next`. */
  onResult(handoff: H, result: HandoffResult): void;
  /** The relay became available or unavailable, or refuses us as a whole. */
  onStateChange?(state: RelayState): void;
  /**
   * Reports that this mailbox provider (MAILBOXES) has capacity again; see
   * `RelayConnection.capacityFor`.
   */
  onCapacity?(mailbox: number): void;
}

/**
 * - `ready`: connected, or not yet connected because nothing is to be sent. `isUnproven`: only the
 * next handoff will show whether an outage or refusal has ended. `othersWait`: a quota is
 * used up except for its reserve, so only handoffs with `mayUseReserve` are sent, and all others
 * wait.
 * - `waiting`: unreachable, or requests a delay; retried automatically after `retryInMs`.
 * - `refused`: the relay refuses us as a whole (sign-in, TLS, a 5xx greeting). It is retried
 * slowly; waiting messages should be paused and their owners notified.
 */
export type RelayState =
  | { readonly kind: 'ready'; readonly isUnproven?: boolean; readonly othersWait?: WaitingState }
  | WaitingState
  | { readonly kind: 'refused'; readonly retryInMs: number; readonly result: HandoffResult };

export type WaitingState = {
  readonly kind: 'waiting';
  readonly retryInMs: number;
  readonly result: HandoffResult;
  /** Whether our own hourly or daily limit, not the relay, causes the wait. */
  readonly isLimit?: boolean;
};

/**
 * Returns why handoffs that may not use a reserve wait at this relay or pool; undefined if they may
 * be sent.
 */
export function describeWait(
  state: RelayState,
): Exclude<RelayState, { kind: 'ready' }> | undefined {
  return state.kind === 'ready' ? state.othersWait : state;
}

/** Statistics of a relay, for rate control and metrics. */
export interface RelayStatistics {
  readonly connections: number;
  /** Number of handoffs from `next` without a reply yet. */
  readonly inFlight: number;
  /** Accepted handoffs per second, smoothed over a few seconds. */
  readonly acceptedPerSecond: number;
  /** The rate that limits and refusals allow now; Infinity if there are none. */
  readonly allowedPerSecond: number;
}

/**
 * State and statistics of one relay, and its results since its sender started, counted by outcome.
 */
export interface RelayReport {
  readonly name: string;
  readonly state: RelayState;
  readonly statistics: RelayStatistics;
  readonly outcomeCounts: Readonly<Record<HandoffOutcome, number>>;
}

/** A running relay, which pulls handoffs from its source and sends them over its connections. */
export interface RelayConnection {
  /** Name for users and logs, such as host and port; it never contains credentials. */
  readonly name: string;
  /** Maximum number of handoffs in flight. */
  readonly capacity: number;
  state(): RelayState;
  getStatistics(): RelayStatistics;
  /** Pools only: the state of each relay. */
  reports?(): RelayReport[];
  /**
   * Returns how many handoffs to this mailbox provider (MAILBOXES) the relay can accept now;
   * Infinity (or no such method) without a limit. If it is below `requested`, the source is
   * notified by `onCapacity` once there is capacity.
   */
  capacityFor?(mailbox: number, requested?: number): number;
  /**
   * If all available relays refuse this sender (see `Handoff.sender`) and an unavailable one may
   * accept it, returns the state of the unavailable relay that recovers first, because handoffs
   * started now would only be deferred. Otherwise returns undefined.
   */
  findWaitState?(sender: string): RelayState | undefined;
  /**
   * Lowers the rate of the whole relay, because several domains request a lower rate at the same
   * time.
   */
  slowDown?(): void;
  /**
   * Notifies the relay that `next` has handoffs again. It is cheap enough to be called after each
   * step.
   */
  wake(): void;
  /**
   * Stops pulling handoffs, waits for the ones in flight, and disconnects. Handoffs without a reply
   * after `withinMs` (default 30,000) end as `unknown` if the message was sent completely,
   * otherwise as `deferred`.
   */
  close(withinMs?: number): Promise<void>;
}

/** Starts a relay; the function already has its settings. */
export type OpenRelay = <H extends Handoff>(source: HandoffSource<H>) => RelayConnection;
