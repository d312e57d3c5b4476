// A compiled message in a sender's memory, with the data that all of its handoffs need. Its
// subclasses for email and SMS are in channels/.
import type { MergeValues } from '#areas/content/server/index.ts';
import { getMessageKindRules, type KindRules, type MessageKind } from '../../message-kinds.ts';
import { PERSON_TAGS } from '../../../content/shared.ts';
import type { SmsCredit } from '../ledger/sms-credit.ts';
import type { ProviderCapMap } from '../caps/provider-caps.sql.ts';
import { messageKey, type MessageRef } from './round-robin.ts';
import type { LedgerRow, LedgerHandoff } from './sending.ts';

/** A copy whose handoff has started; the channel creates the handoff from it. */
export type StartedCopy = {
  readonly row: LedgerRow;
  readonly recipientState: {
    attempt: number;
    strikes: number;
    subscriberId: number;
    skipReason: string;
  };
  /** Number in the copy's tokens: the ordinal in the ledger, or the ID of the single send. */
  readonly ordinal: number;
  /** The address or number to send to; empty if the recipient has none. */
  readonly to: string;
  readonly email: string;
  readonly values: MergeValues;
  /** SMS only: the last known location of the subscriber. */
  readonly location?: RecipientLocation;
};

export type RecipientLocation = { zone: string | null; country: string | null };

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
  readonly kindRules: KindRules;
  readonly sourceId: number | null;
  readonly isMarketing: boolean;
  readonly from: string;
  /**
   * Names of the values that its content needs, from merge tags, memberships and store data.
   */
  readonly names: readonly string[];
  readonly fields: { id: number; name: string }[];
  /** Whether a merge tag refers to a custom field; only then are field values read. */
  readonly needsFields: boolean;
  /** Whether the content depends on groups, segments, store data or other values of each copy. */
  readonly hasMemberships: boolean = false;
  /** Locale for formatting prices. */
  readonly locale: string = 'en';
  /** Limits of the sending domain at mailbox providers; set only for marketing email. */
  providerCaps: ProviderCapMap | undefined;
  /** Set for SMS that cost credit. */
  readonly credit: SmsCredit | undefined = undefined;
  /** Identifies the message, unlike this object, which is replaced when the message is reloaded. */
  readonly ref: MessageRef;
  readonly key: string;
  /** Identifies the message in log lines, with the request that started it. */
  readonly logFields: MessageRef & { request: string | undefined };
  /** Whether a handoff of the message has started, in this or another process. */
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
    this.kindRules = getMessageKindRules(row.kind);
    this.sourceId = row.source_id;
    this.isMarketing = this.kindRules.permission === 'marketing';
    this.from = from;
    this.names = names;
    const customFields = names.filter((name) => !(PERSON_TAGS as readonly string[]).includes(name));
    this.fields = fields.filter((field) => customFields.includes(field.name));
    this.needsFields = this.fields.length > 0;
    this.hasStarted = row.first_handed_over_at !== null;
  }

  get copies() {
    const { accountId, id: messageId, names, locale } = this;
    return { accountId, messageId, names, locale };
  }

  /** Creates the handoffs of these copies, in order. */
  abstract createHandoffs(copies: readonly StartedCopy[], now: Date): LedgerHandoff[];
}
