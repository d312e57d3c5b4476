// Interface of relay providers (SMTP, an HTTP API). Implementations are in providers/; only main/
// depends on them. The relay pulls: when a connection is free it requests the next handoff from its
// `Source`, so priorities are decided at the last moment, nothing queues twice, and no promise is
// made per message. Replies return through one call, in the order of each connection; the source
// collects them and records them in sets.
import { isAscii } from 'node:buffer';
import type { CopyFields } from '../feedback/copy-fields.ts';

/** The part of a handoff that pools use, on any channel. */
export interface BaseHandoff {
  /** The sender: a return path, a number. */
  readonly from: string;
  /** The sender that a refusing relay refers to, if it differs from `from`. */
  readonly sender?: string;
  /** The one recipient's address. */
  readonly to: string;
  /** Key of its limit, where that is not its recipient's domain: the sending number. */
  readonly pace?: string;
  /** Units of a limit that it uses: the parts of an SMS; otherwise one. */
  readonly cost?: number;
  /** Awaited by a user: after a hold, it returns before others. */
  readonly isUrgent?: boolean;
  /** Whether it may use the reserve of an hourly or daily limit (password resets, receipts). */
  readonly mayUseReserve?: boolean;
}

/**
 * One email to one recipient, ready to be sent. The sender extends it with its ledger row; the relay
 * reads and writes only the members listed here.
 */
export interface Handoff extends BaseHandoff {
  /** Return path without angle brackets; '' for the null sender of RFC 5321 4.5.5. */
  readonly from: string;
  /** The address in the From field, which a relay refers to when it refuses a sender. */
  readonly sender?: string;
  /**
   * The one recipient's address. An address outside ASCII requires a relay with SMTPUTF8 (RFC
   * 6531).
   */
  readonly to: string;
  /**
   * Upper bound, in bytes, of what `write` writes once the relay is known. Also the declared SIZE
   * (RFC 1870).
   */
  readonly size: number;
  /**
   * Writes the message (RFC 5322, lines end with CRLF) into the connection's reused buffer and
   * returns the offset behind its last byte. Called synchronously just before these bytes are sent;
   * again only if the connection died before the final dot. The buffer belongs to the relay: never
   * retain it. If it throws, the result is `failed` with `about: 'message'`, and costs a
   * connection.
   */
  write(into: Buffer, offset: number): number;
  /** No line begins with a dot, so the relay need not stuff dots (RFC 5321 4.5.2). */
  readonly isDotSafe: boolean;
  /** The body has bytes above 127 (RFC 6152); refused as failed by a 7-bit relay. */
  readonly isEightBit?: boolean;
  /** The header has UTF-8 (RFC 6532). */
  readonly isUtf8Header?: boolean;
  /** Set before it is written: the relay signs the message, so we add no signature. */
  isSignedByRelay?: boolean;
  /** Set before it is written: the header fields by which this relay names a copy. */
  fields?: CopyFields | undefined;
}

/** A message that is complete in advance: single sends, tests. */
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
 * - `accepted`: the relay replied 250 to the final dot: it has the message.
 * - `deferred`: not accepted now; may be retried. `about` names the cause: only `recipient` and
 * `message` count as an attempt at this recipient.
 * - `failed`: refused permanently. Only `about: 'recipient'` can concern the subscriber.
 * - `unknown`: the connection died, or timed out, between the dot and its reply. Never retried
 * automatically.
 * - `relay_refused`: the relay refuses *us* (return path, account, quota): pause, suppress no
 * address; the message itself was not judged.
 */
export type Outcome = 'accepted' | 'deferred' | 'failed' | 'unknown' | 'relay_refused';

/**
 * Subject of a reply; with `deferred`, `relay` means that the relay requests a lower rate or a
 * later time overall, `domain` that the mailbox provider of this recipient's domain does.
 */
export type About = 'recipient' | 'message' | 'sender' | 'relay' | 'domain' | 'connection';

/** Command that the reply belongs to. `request` is for providers without commands. */
export type Verb =
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

export interface Answer {
  readonly outcome: Outcome;
  readonly about: About;
  readonly at: Verb;
  /** The three digits (RFC 5321 4.2); 0 without a reply. */
  readonly code: number;
  /** Enhanced status code such as '5.1.1' (RFC 3463), '' for none. */
  readonly enhanced: string;
  /** The relay's reply without the codes, one line, at most 500 characters. */
  readonly reply: string;
  /** The name of the relay within a pool; set by the pool. */
  readonly relay?: string;
  /** Milliseconds until the next attempt, if known. */
  readonly retryInMs?: number;
  /** SMS only. */
  readonly text?: TextAnswer;
}

/** A provider's reply to an accepted SMS, or the reason of a permanent refusal. */
export type TextAnswer = {
  /** The provider's own id of the SMS. */
  remoteId?: string;
  /** Several parts only: each part's id, where receipts use these. */
  partIds?: string[];
  /** Billed parts; our own count if the provider gives none. */
  parts?: number;
  /** Millionths of the provider's billing currency. */
  costMicros?: number;
  /** Failed: the number does not exist, permanently. */
  isUnknownRecipient?: boolean;
  /**
   * Failed: the recipient opted out with the provider (Twilio's 21610 and similar): published as
   * `hasOptedOut`.
   */
  hasOptedOut?: boolean;
};

/** Source of a relay's handoffs. No method may throw; all are called synchronously. */
export interface Source<H extends BaseHandoff = Handoff> {
  /** Number of handoffs that `next` can give immediately: the relay opens that many connections. */
  ready(isReserveOnly?: boolean): number;
  /**
   * The next handoff, most urgent first, or null for none (`wake` the relay once there is one). It
   * must be committed as started in the ledger: its first byte may be sent immediately. `isReserveOnly`: only
   * those with `mayUseReserve`; the others stay in the queue.
   */
  next(isReserveOnly?: boolean): H | null;
  /** Called exactly once for each handoff from `next`. */
  answered(handoff: H, answer: Answer): void;
  /** The relay became available or unavailable, or refuses us as a whole. */
  changed?(state: RelayState): void;
  /** There is capacity again for this mailbox provider (MAILBOXES): see `Relay.capacityFor`. */
  more?(mailbox: number): void;
}

/**
 * - `ready`: connected, or without a reason to connect yet; unproven after an outage or refusal
 * that only a message can clear. With `othersWait` only handoffs with `mayUseReserve` are sent: all
 * others wait in that state for a limit of our own, whose reserve is left.
 * - `waiting`: unreachable, or requests a delay; retried automatically after `retryInMs`.
 * - `refused`: it refuses us as a whole (sign-in, TLS, a 5xx greeting). Retried slowly; its waiting
 * messages should be paused and their owners notified.
 */
export type RelayState =
  | { readonly is: 'ready'; readonly isUnproven?: boolean; readonly othersWait?: WaitingState }
  | WaitingState
  | { readonly is: 'refused'; readonly retryInMs: number; readonly answer: Answer };

export type WaitingState = {
  readonly is: 'waiting';
  readonly retryInMs: number;
  readonly answer: Answer;
  /** Whether the wait is for a limit of ours (hourly or daily), not for the relay. */
  readonly isLimit?: boolean;
};

/**
 * The wait of non-urgent handoffs for a relay (or a pool) in this state; undefined if they may
 * leave.
 */
export function waitOf(state: RelayState): Exclude<RelayState, { is: 'ready' }> | undefined {
  return state.is === 'ready' ? state.othersWait : state;
}

/** Figures of a relay, for pacing and metrics. */
export interface RelayFigures {
  readonly connections: number;
  /** Handoffs from `next` without a reply yet. */
  readonly inFlight: number;
  /** Accepted per second, smoothed over a few seconds. */
  readonly acceptedPerSecond: number;
  /** The rate that limits and refusals allow now; Infinity without any. */
  readonly allowedPerSecond: number;
}

/** State of one relay, and its replies since its sender started. */
export interface RelayReport {
  readonly name: string;
  readonly state: RelayState;
  readonly figures: RelayFigures;
  readonly answers: Readonly<Record<Outcome, number>>;
}

/** A running relay: a pool of connections that pulls from its source. */
export interface Relay {
  /** Name for users and logs: host and port, never credentials. */
  readonly name: string;
  /** Maximum of handoffs in flight: two per connection. */
  readonly capacity: number;
  state(): RelayState;
  figures(): RelayFigures;
  /** Pools only: the state of each relay. */
  reports?(): RelayReport[];
  /**
   * Number of handoffs to this mailbox provider (MAILBOXES) that it can accept now; absent or
   * Infinity for no limit. Below `requested`, the source is notified by `more` once there is capacity.
   */
  capacityFor?(mailbox: number, requested?: number): number;
  /**
   * State of the first relay to recover, where all available relays refuse this sender (see
   * `Handoff.sender`) and an unavailable one may accept it: handoffs started now would only be
   * deferred. Otherwise undefined.
   */
  waitsFor?(sender: string): RelayState | undefined;
  /** Several domains simultaneously request a lower rate: it is applied to the whole relay. */
  slower?(): void;
  /** Notifies the relay that `next` has handoffs again. Cheap: call it after each step. */
  wake(): void;
  /**
   * Accepts nothing new, lets handoffs in flight end, sends QUIT. Handoffs without a reply after
   * `withinMs` (default 30,000) end as `unknown` behind the final dot, otherwise as `deferred`.
   */
  close(withinMs?: number): Promise<void>;
}

/** Starts a provider: bound to its settings, it needs only the source. */
export type OpenRelay = <H extends Handoff>(source: Source<H>) => Relay;
