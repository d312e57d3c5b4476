// Interface of relay providers (SMTP, an HTTP API). Kinds live under providers/; only main/ knows
// which one runs. The relay pulls: when a connection is free it requests the next handoff from its
// `Source`, so priorities are decided at the last moment, nothing queues twice, and no promise is
// made per message. Replies return through one call, in the order of each connection; the source
// collects them and records them in sets.
import { isAscii } from 'node:buffer';
import type { CopyFields } from '../feedback/copy-fields.ts';

/** A handoff as pools see it, on any channel. */
export interface BaseHandOver {
  /** The sender: a return path, a number. */
  readonly from: string;
  /** The sender that a refusing relay refers to, where it differs from `from`. */
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
 * One email to one recipient, ready to leave. The sender extends it with its ledger row; the relay
 * reads and writes only the members listed here.
 */
export interface HandOver extends BaseHandOver {
  /** Return path without angle brackets; '' for the null sender of RFC 5321 4.5.5. */
  readonly from: string;
  /** The address in the From field, which a relay refers to when it refuses a sender. */
  readonly sender?: string;
  /** The one recipient's address. Outside ASCII needs a relay with SMTPUTF8 (RFC 6531). */
  readonly to: string;
  /**
   * Upper bound, in bytes, of what `write` writes once the relay is known. Also the declared SIZE
   * (RFC 1870).
   */
  readonly size: number;
  /**
   * Writes the message (RFC 5322, lines end with CRLF) into the connection's reused buffer and
   * returns the offset behind its last byte. Called synchronously just before these bytes leave;
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
  /** Set before it is written: the relay signs itself, so there is no signature of ours. */
  isSignedByRelay?: boolean;
  /** Set before it is written: the header fields by which this relay names a copy. */
  fields?: CopyFields | undefined;
}

/** A message that is complete in advance: single sends, tests. */
export class WholeMessage implements HandOver {
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
 * Subject of a reply; with `deferred`, `relay` means that the relay asks for a lower rate or a
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
  /** Enhanced status code such as '5.1.1' (RFC 3463), '' where none was given. */
  readonly enhanced: string;
  /** The relay's words without the codes, one line, at most 500 characters. */
  readonly reply: string;
  /** Which relay of several; the pool fills it in. */
  readonly relay?: string;
  /** Milliseconds after which it may be tried again, where that is known. */
  readonly retryInMs?: number;
  /** Of a text. */
  readonly text?: TextAnswer;
}

/** What a provider says of a text that it took, or why it never will. */
export type TextAnswer = {
  /** The provider's own name for it. */
  remoteId?: string;
  /** Of several parts: each part's own name, where its receipts come by that. */
  partIds?: string[];
  /** Parts that it charges for; ours where it does not say. */
  parts?: number;
  /** Millionths of the currency that it charges in. */
  costMicros?: number;
  /** Failed: no such number, for good. */
  isNobody?: boolean;
  /** Failed: this person told the provider to stop (Twilio's 21610 and its like): told on as `hasLeft`. */
  hasLeft?: boolean;
};

/** Where a relay takes its hand-overs from. No method may throw; all are called synchronously. */
export interface Source<H extends BaseHandOver = HandOver> {
  /** How many hand-overs `next` could give at once: the relay opens that many connections. */
  ready(isOnlyKept?: boolean): number;
  /**
   * The next hand-over, the most urgent first, or null where there is none (then `wake` the relay
   * when there is). It must be committed as begun in the ledger: its first byte may leave at once.
   * `isOnlyKept`: only those that `mayUseReserve`; the others stay where they are.
   */
  next(isOnlyKept?: boolean): H | null;
  /** Exactly once for each hand-over that `next` gave. */
  answered(handOver: H, answer: Answer): void;
  /** The relay came, went, or refuses us as a whole. */
  changed?(state: RelayState): void;
  /** There is room again for this mailbox provider's (MAILBOXES): see `Relay.roomFor`. */
  more?(mailbox: number): void;
}

/**
 * - `ready`: connected, or has had no reason to connect yet; unproven where it was gone or refused us and
 *   only a message can show whether it still does. With `othersWait` only hand-overs leave that `mayUseReserve`: it
 *   is how all others wait for a limit of our own, of which the rest is kept.
 * - `waiting`: cannot be reached or wants us later; it is tried again by itself after `retryInMs`.
 * - `refused`: it refuses us as a whole (sign-in, TLS, a 5xx greeting). Tried again slowly; what
 *   waits for it should be paused and its owner told.
 */
export type RelayState =
  | { readonly is: 'ready'; readonly isUnproven?: boolean; readonly othersWait?: WaitingState }
  | WaitingState
  | { readonly is: 'refused'; readonly retryInMs: number; readonly answer: Answer };

export type WaitingState = {
  readonly is: 'waiting';
  readonly retryInMs: number;
  readonly answer: Answer;
  /** It waits for a limit of our own (an hour's, a day's), not for the relay. */
  readonly isLimit?: boolean;
};

/** How what is not urgent waits for a relay (or a pool) in this state; undefined where it may leave. */
export function waitOf(state: RelayState): Exclude<RelayState, { is: 'ready' }> | undefined {
  return state.is === 'ready' ? state.othersWait : state;
}

/** What a relay is doing, for pacing and /metrics. */
export interface RelayFigures {
  readonly connections: number;
  /** Hand-overs that `next` gave and that have no answer yet. */
  readonly underWay: number;
  /** Accepted per second, smoothed over a few seconds. */
  readonly acceptedPerSecond: number;
  /** What the limit and the relay's own refusals allow now; Infinity where nothing does. */
  readonly allowedPerSecond: number;
}

/** How one relay is doing and what it answered since its sender started. */
export interface RelayReport {
  readonly name: string;
  readonly state: RelayState;
  readonly figures: RelayFigures;
  readonly answers: Readonly<Record<Outcome, number>>;
}

/** A running relay: a pool of connections that feeds itself from its source. */
export interface Relay {
  /** For people and logs: host and port, never credentials. */
  readonly name: string;
  /** Most hand-overs under way at once: two per connection. */
  readonly capacity: number;
  state(): RelayState;
  figures(): RelayFigures;
  /** Of several used as one: how each is doing. */
  reports?(): RelayReport[];
  /**
   * How many hand-overs to this mailbox provider (MAILBOXES) it would take now; without it, or Infinity,
   * nothing limits them. Where there are fewer than `wanted`, the source is told once there are `more`.
   */
  roomFor?(mailbox: number, wanted?: number): number;
  /**
   * How the first that may be back is, where each relay that is there refuses this sender (see
   * `HandOver.sender`) and one that is gone may take it: what begins now is only put off. Else undefined.
   */
  waitsFor?(sender: string): RelayState | undefined;
  /** Several domains at once want it slower: it is taken as the relay's own wish. */
  slower?(): void;
  /** Tells that `next` has something again. Cheap: call it after each step. */
  wake(): void;
  /**
   * Takes nothing new, lets what is under way end, says QUIT. What has no answer after `withinMs`
   * (default 30,000) is answered `unknown` behind its dot, else `deferred`.
   */
  close(withinMs?: number): Promise<void>;
}

/** How a provider starts: bound to its settings, it needs only the source. */
export type OpenRelay = <H extends HandOver>(source: Source<H>) => Relay;
