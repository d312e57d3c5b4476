// Handoffs with their ledger rows and the leased ranges that they come from.
import { LOCATION_FIELDS } from '../ledger/ledger.sql.ts';
import type { RecipientLocation } from './active-message.ts';
import {
  type Memberships,
  toSubscriberValues,
  type MergeValues,
} from '#areas/content/server/index.ts';
import type { ActiveMessage, StartedCopy } from './active-message.ts';
import type { DeferredRow, StartedRow } from '../ledger/ledger.sql.ts';
import type { DelayReason as HoldReason } from '../../shared.ts';
import { PRIORITY } from '../../message-kinds.ts';
import type { BaseHandoff } from '../relays/provider.ts';
import type { SingleSendRow } from '../singles/singles.sql.ts';

/** A leased range of a lane. This process sends to its recipients in order. */
export class RangeLease {
  readonly message: ActiveMessage;
  readonly lane: number;
  readonly from: number;
  readonly to: number;
  /** End of the lane's wave; no handoff may start after it. Null if there is none. */
  readonly closesAt: Date | null;
  /** Last ordinal whose handoff has started, as far as this process knows. */
  startedTo: number;
  /** Number of started handoffs whose result is not yet written. */
  unwrittenCount = 0;
  /**
   * Whether handoffs are being started in the ledger; until this ends, `startedTo` may be too low.
   */
  isStarting = false;
  /**
   * Whether no more handoffs start, and the range is released once all started ones are answered.
   */
  isClosing = false;
  /** Whether handoffs were removed from the queue; no more may start before the ledger is reset. */
  isHalted = false;

  constructor(
    message: ActiveMessage,
    row: { lane: number; from_ordinal: number; to_ordinal: number; closes_at: Date | null },
  ) {
    this.message = message;
    this.lane = row.lane;
    this.from = row.from_ordinal;
    this.to = row.to_ordinal;
    this.closesAt = row.closes_at;
    this.startedTo = row.from_ordinal - 1;
  }
}

/** The ledger row of the handoff. */
export type LedgerRow =
  | {
      readonly kind: 'range';
      readonly lease: RangeLease;
      readonly lane: number;
      readonly ordinal: number;
    }
  | {
      readonly kind: 'deferrals';
      readonly lane: number;
      readonly ordinal: number;
      readonly firstAt: Date;
    }
  | {
      readonly kind: 'singles';
      readonly id: number;
      readonly lane: number;
      readonly firstAt: Date;
      readonly wasCountedBefore: boolean;
    };

/** The copy waits in the ledger until `until`. The wait does not count as a failed attempt. */
export type SendDelay = { until: Date; reason: HoldReason };

export abstract class LedgerHandoff implements BaseHandoff {
  readonly message: ActiveMessage;
  readonly row: LedgerRow;
  readonly attempt: number;
  readonly strikes: number;
  readonly subscriberId: number;
  readonly from: string;
  readonly sender: string;
  readonly to: string;
  /** Reason why nothing is sent; empty if there is none. */
  readonly skipReason: string;
  readonly delay: SendDelay | undefined = undefined;
  readonly startedAt: Date;
  /** Whether slow preparations, such as a signature, are complete, so that it may be sent. */
  isReady = true;

  constructor(message: ActiveMessage, copy: StartedCopy, from: string, at: Date) {
    this.message = message;
    this.row = copy.row;
    this.attempt = copy.recipientState.attempt;
    this.strikes = copy.recipientState.strikes;
    this.subscriberId = copy.recipientState.subscriberId;
    this.skipReason = copy.recipientState.skipReason;
    this.from = from;
    this.sender = message.from;
    this.to = copy.to;
    this.startedAt = at;
  }

  get isUrgent(): boolean {
    return this.row.kind === 'singles' && this.message.kindRules.priority < PRIORITY.marketing;
  }

  get mayUseReserve(): boolean {
    return this.isUrgent && this.message.kindRules.mayUseReserve;
  }

  /** Maximum number of bytes of the message, which `sign` needs as scratch space. */
  get size(): number {
    return 0;
  }

  /**
   * Signs the message, if it is to be signed. `scratch` has at least `size` bytes and is free again
   * when the call returns its promise.
   */
  async sign(_scratch: Buffer): Promise<void> {
    this.isReady = true;
  }
}

/** Creates the handoffs of started recipients of a range. */
export function toRangeHandoffs(
  lease: RangeLease,
  rows: readonly StartedRow[],
  now: Date,
  memberships: Memberships,
): LedgerHandoff[] {
  const { message, lane } = lease;
  const copies = rows.map((row) => {
    const ledgerRow: LedgerRow = { kind: 'range', lease, lane, ordinal: row.ordinal };
    return copyOf(message, row, ledgerRow, { attempt: 1, strikes: 0 }, memberships);
  });
  return message.createHandoffs(copies, now);
}

/** Creates the handoffs of deferred recipients whose retry has started. */
export function toDeferredHandoffs(
  message: ActiveMessage,
  rows: readonly DeferredRow[],
  now: Date,
  memberships: Memberships,
): LedgerHandoff[] {
  const copies = rows.map((row) => {
    const { lane, ordinal, first_at: firstAt } = row;
    const ledgerRow: LedgerRow = { kind: 'deferrals', lane, ordinal, firstAt };
    return copyOf(message, row, ledgerRow, row, memberships);
  });
  return message.createHandoffs(copies, now);
}

function copyOf(
  message: ActiveMessage,
  row: StartedRow,
  ledgerRow: LedgerRow,
  { attempt, strikes }: { attempt: number; strikes: number },
  memberships: Memberships,
): StartedCopy {
  const email = row.email ?? '';
  return {
    row: ledgerRow,
    recipientState: {
      attempt,
      strikes,
      subscriberId: row.subscriber_id,
      skipReason: row.skip_reason,
    },
    ordinal: row.ordinal,
    to: message.kindRules.channel === 'email' ? email : (row.phone ?? ''),
    email,
    values: valuesOf(message, row, memberships),
    ...(message.kindRules.channel === 'sms' ? { location: locationOf(row.field_values) } : {}),
  };
}

/** Reads the location that queries for SMS return with the fields. */
function locationOf(fields: unknown): RecipientLocation {
  const { [LOCATION_FIELDS.zone]: zone, [LOCATION_FIELDS.country]: country } = (fields ??
    {}) as Record<string, unknown>;
  return {
    zone: typeof zone === 'string' ? zone : null,
    country: typeof country === 'string' ? country : null,
  };
}

function valuesOf(message: ActiveMessage, row: StartedRow, memberships: Memberships): MergeValues {
  const personal = toSubscriberValues(row, message.fields);
  return message.hasMemberships ? { ...personal, ...memberships.get(row.subscriber_id) } : personal;
}

/**
 * Creates the handoff of a single send. `values` are the subscriber's, overridden by the request's
 * values.
 */
export function toSingleHandoff(
  message: ActiveMessage,
  row: SingleSendRow & { lane: number },
  values: MergeValues,
  skipReason: string,
  now: Date,
  location?: RecipientLocation,
): LedgerHandoff {
  const ledgerRow: LedgerRow = {
    kind: 'singles',
    ...{ id: row.id, lane: row.lane },
    firstAt: row.created_at,
    wasCountedBefore: row.is_counted,
  };
  const { attempt, strikes, recipient: to } = row;
  const recipientState = { attempt, strikes, subscriberId: row.subscriber_id ?? 0, skipReason };
  const email = typeof values.email === 'string' ? values.email : '';
  const copy = {
    row: ledgerRow,
    recipientState,
    ordinal: row.id,
    to,
    email,
    values,
    ...(location && { location }),
  };
  const [handoff] = message.createHandoffs([copy], now);
  return handoff as LedgerHandoff;
}
