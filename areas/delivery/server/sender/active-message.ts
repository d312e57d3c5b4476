// A message in a sender's memory: compiled once, with the data that each handoff needs. Differences
// between email and SMS are in channels/.
import type { Values } from '#areas/content/server/index.ts';
import { messageKindFacts, type KindFacts, type MessageKind } from '../../message-kinds.ts';
import { PERSON_TAGS } from '../../../content/shared.ts';
import type { SmsCredit } from '../ledger/sms-credit.ts';
import type { ProviderCapsOf } from '../caps/provider-caps.sql.ts';
import { messageKey, type MessageRef } from './round-robin.ts';
import type { LedgerRow, Sending } from './sending.ts';

/** One recipient's copy at the start of its handoff. */
export type StartedCopy = {
  readonly place: LedgerRow;
  readonly facts: { attempt: number; strikes: number; subscriberId: number; skip: string };
  /** The number in its tokens: the ordinal in the ledger, or the id of the single send. */
  readonly ordinal: number;
  /** The recipient's address; '' for none. */
  readonly to: string;
  readonly email: string;
  readonly values: Values;
  /** SMS only: the last known place of the subscriber. */
  readonly location?: SubscriberLocation;
};

export type SubscriberLocation = { zone: string | null; country: string | null };

export type ActiveRow = {
  account_id: number;
  id: number;
  kind: MessageKind;
  source_id: number | null;
  first_handed_over_at: Date | null;
  request_id: string | null;
};

export abstract class ActiveMessage {
  readonly accountId: number;
  readonly id: number;
  readonly kind: MessageKind;
  readonly facts: KindFacts;
  readonly sourceId: number | null;
  readonly isMarketing: boolean;
  readonly from: string;
  /** Field names in its merge tags. */
  readonly names: readonly string[];
  readonly fields: { id: number; name: string }[];
  /** Whether a merge tag names a custom field: the column is read only then. */
  readonly withFields: boolean;
  /** Whether a section depends on a group or segment, or on store data. */
  readonly hasMemberships: boolean = false;
  /** Locale of prices. */
  readonly locale: string = 'en';
  /** Limits of its sending domain at mailbox providers: marketing email only. */
  caps: ProviderCapsOf | undefined;
  /** Present for SMS that cost credit. */
  readonly credit: SmsCredit | undefined = undefined;
  /** The identity of the message, the same after each load. */
  readonly ref: MessageRef;
  readonly key: string;
  /** Identifies the message in log lines, with the request that started it. */
  readonly logFields: MessageRef & { request: string | undefined };
  /** A handoff of it has started, in this or another process. */
  hasStarted: boolean;

  constructor(
    row: ActiveRow,
    from: string,
    names: readonly string[],
    fields: readonly { id: number; name: string }[],
  ) {
    this.accountId = row.account_id;
    this.id = row.id;
    this.ref = { accountId: row.account_id, messageId: row.id };
    this.key = messageKey(this.ref);
    this.logFields = { ...this.ref, request: row.request_id ?? undefined };
    this.kind = row.kind;
    this.facts = messageKindFacts(row.kind);
    this.sourceId = row.source_id;
    this.isMarketing = this.facts.permission === 'marketing';
    this.from = from;
    this.names = names;
    const customFields = names.filter((name) => !(PERSON_TAGS as readonly string[]).includes(name));
    this.fields = fields.filter((field) => customFields.includes(field.name));
    this.withFields = this.fields.length > 0;
    this.hasStarted = row.first_handed_over_at !== null;
  }

  get copies() {
    const { accountId, id: messageId, names, locale } = this;
    return { accountId, messageId, names, locale };
  }

  /** Creates the handoffs of a step, in order. */
  abstract make(copies: readonly StartedCopy[], now: Date): Sending[];
}
