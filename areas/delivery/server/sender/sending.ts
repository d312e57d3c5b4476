// One hand-over under way: what the relay reads, and the ledger row that it stands for.
import {
  type Memberships,
  mostBytes,
  personValues,
  type Recipient,
  type RenderMoment,
  textsFor,
  type Values,
} from '#areas/content/server/index.ts';
import { installationTokens } from '#areas/tracking/server/index.ts';
import type { ActiveMessage, Copy } from './active-message.ts';
import type { CopyFields } from '../feedback/copy-fields.ts';
import type { DeferredRow, StepRow } from '../ledger/ledger.sql.ts';
import { PRIORITY } from '../../message-kinds.ts';
import type { HandOver } from '../relays/provider.ts';
import { deliverySettings } from '../settings.ts';
import type { SingleRow } from '../singles/singles.sql.ts';

/** A range of a lane that this process hands over, in order. */
export class HeldLease {
  readonly message: ActiveMessage;
  readonly lane: number;
  readonly from: number;
  readonly to: number;
  /** Begun up to here, as the database has it. */
  startedTo: number;
  /** Begun, and its answer is not yet written down. */
  unanswered = 0;
  /** A step is on its way to the ledger: nobody here knows yet how far it has begun. */
  isBeginning = false;
  /** To be given back once all that began is answered. */
  isClosing = false;
  /** Some that began did not leave: nothing more begins before they are taken back. */
  isHalted = false;

  constructor(
    message: ActiveMessage,
    row: { lane: number; from_ordinal: number; to_ordinal: number },
  ) {
    this.message = message;
    this.lane = row.lane;
    this.from = row.from_ordinal;
    this.to = row.to_ordinal;
    this.startedTo = row.from_ordinal - 1;
  }
}

/** Which row of the ledger. */
export type LedgerRow =
  | {
      readonly in: 'range';
      readonly lease: HeldLease;
      readonly lane: number;
      readonly ordinal: number;
    }
  | {
      readonly in: 'deferrals';
      readonly lane: number;
      readonly ordinal: number;
      readonly firstAt: Date;
    }
  | {
      readonly in: 'singles';
      readonly id: number;
      readonly firstAt: Date;
      readonly isCounted: boolean;
    };

export class Sending implements HandOver {
  readonly message: ActiveMessage;
  readonly row: LedgerRow;
  readonly attempt: number;
  readonly strikes: number;
  readonly subscriberId: number;
  readonly from: string;
  readonly sender: string;
  readonly to: string;
  readonly isDotSafe = true;
  /** Why it is not handed over after all; '' if it is. */
  readonly skip: string;
  /** It may leave: what takes long (a signature) is done. */
  isReady: boolean;
  isSignedByRelay = false;
  fields: CopyFields | undefined;
  private readonly ownSize: number;
  private readonly copy: Copy;
  private signature: string | undefined;

  constructor(
    message: ActiveMessage,
    row: LedgerRow,
    facts: { attempt: number; strikes: number; subscriberId: number; skip: string },
    recipient: Recipient,
    from: string,
    moment: RenderMoment,
  ) {
    this.message = message;
    this.row = row;
    this.attempt = facts.attempt;
    this.strikes = facts.strikes;
    this.subscriberId = facts.subscriberId;
    this.skip = facts.skip;
    this.from = from;
    this.sender = message.from;
    this.to = recipient.email;
    this.isReady = message.signer === undefined || facts.skip !== '';
    const isLeaving = facts.skip === '';
    const texts = isLeaving ? textsFor(message.compiled, recipient, moment) : [];
    this.copy = { recipient, moment, texts };
    this.ownSize = isLeaving
      ? mostBytes(message.compiled, texts) + (message.signer?.length ?? 0)
      : 0;
  }

  get size(): number {
    return this.ownSize + this.relayFields.length;
  }

  /** Above the signature, which does not cover them: the relay takes them out, or changes them. */
  private get relayFields(): string {
    return this.fields?.(this.copy.recipient.message_token) ?? '';
  }

  get isUrgent(): boolean {
    return this.row.in === 'singles' && this.message.facts.priority < PRIORITY.marketing;
  }

  get mayUseReserve(): boolean {
    return this.isUrgent && this.message.facts.mayUseReserve;
  }

  get begunAt(): Date {
    return this.copy.moment.now;
  }

  write(into: Buffer, offset: number): number {
    const signature = this.isSignedByRelay ? '' : this.signature;
    const { relayFields } = this;
    const start = relayFields === '' ? offset : offset + into.write(relayFields, offset, 'latin1');
    return this.message.write(this.copy, into, start, signature);
  }

  /** Makes it ready. `scratch` has room for `size` bytes and is free again when this returns. */
  async sign(scratch: Buffer): Promise<void> {
    try {
      this.signature = await this.message.signAhead(this.copy, scratch);
    } catch {
      // What cannot be written or signed says so where it is handed over.
    }
    this.isReady = true;
  }
}

const SILENT = ['link', 'messageId'] as const;
const BOUNCING = [...SILENT, 'bounce'] as const;

type Addressee = { subscriber: number; ordinal: number };

/** Tokens of a batch, and the return path that brings its bounces back. */
function tokensFor(message: ActiveMessage, people: readonly Addressee[]) {
  const tokens = installationTokens();
  const facts = people.map((one) => ({ account: message.accountId, message: message.id, ...one }));
  const { bounceDomain } = deliverySettings();
  const returnHost = message.returnHost ?? bounceDomain;
  const [links, ids, bounces] = tokens.makeMany(facts, bounceDomain ? BOUNCING : SILENT);
  return {
    link: (i: number) => links?.[i] as string,
    messageId: (i: number) => ids?.[i] as string,
    returnPath: (i: number) => (bounces ? `b+${bounces[i]}@${returnHost}` : message.from),
  };
}

/** The hand-overs of one step of a range, in the order of their ordinals. */
export function rangeSendings(
  lease: HeldLease,
  rows: readonly StepRow[],
  now: Date,
  memberships: Memberships,
): Sending[] {
  const { message, lane } = lease;
  const moment = message.renew(now);
  const tokens = tokensFor(message, rows.map(addresseeOf));
  return rows.map((row, i) => {
    const place: LedgerRow = { in: 'range', lease, lane, ordinal: row.ordinal };
    const facts = { attempt: 1, strikes: 0, subscriberId: row.subscriber_id, skip: row.skip };
    const recipient = recipientOf(message, row, memberships, tokens, i);
    return new Sending(message, place, facts, recipient, tokens.returnPath(i), moment);
  });
}

/** Further attempts at deferred recipients. */
export function deferredSendings(
  message: ActiveMessage,
  rows: readonly DeferredRow[],
  now: Date,
  memberships: Memberships,
): Sending[] {
  const moment = message.renew(now);
  const tokens = tokensFor(message, rows.map(addresseeOf));
  return rows.map((row, i) => {
    const { lane, ordinal, attempt, strikes, subscriber_id: subscriberId, skip } = row;
    const place: LedgerRow = { in: 'deferrals', lane, ordinal, firstAt: row.first_at };
    const facts = { attempt, strikes, subscriberId, skip };
    const recipient = recipientOf(message, row, memberships, tokens, i);
    return new Sending(message, place, facts, recipient, tokens.returnPath(i), moment);
  });
}

const addresseeOf = (row: StepRow) => ({ subscriber: row.subscriber_id, ordinal: row.ordinal });

function recipientOf(
  message: ActiveMessage,
  row: StepRow,
  memberships: Memberships,
  tokens: ReturnType<typeof tokensFor>,
  i: number,
): Recipient {
  return {
    email: row.email ?? '',
    token: tokens.link(i),
    message_token: tokens.messageId(i),
    values: valuesOf(message, row, memberships),
  };
}

function valuesOf(message: ActiveMessage, row: StepRow, memberships: Memberships): Values {
  const own = personValues(row, message.fields);
  return message.hasMemberships ? { ...own, ...memberships.get(row.subscriber_id) } : own;
}

/** A single send; `values` are the person's own with the call's on top. */
export function singleSending(
  message: ActiveMessage,
  row: SingleRow,
  values: Values,
  skip: string,
  now: Date,
): Sending {
  const subscriberId = row.subscriber_id ?? 0;
  const tokens = tokensFor(message, [{ subscriber: subscriberId, ordinal: row.id }]);
  const recipient = {
    email: row.recipient,
    token: tokens.link(0),
    message_token: tokens.messageId(0),
    values,
  };
  const place: LedgerRow = {
    in: 'singles',
    id: row.id,
    firstAt: row.created_at,
    isCounted: row.is_counted,
  };
  const { attempt, strikes } = row;
  const facts = { attempt, strikes, subscriberId, skip };
  return new Sending(message, place, facts, recipient, tokens.returnPath(0), message.renew(now));
}
