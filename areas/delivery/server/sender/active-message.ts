// A message as a sender holds it: compiled once, with what each hand-over of it needs. What mails and texts differ in
// stands in channels/.
import type { Values } from '#areas/content/server/index.ts';
import { factsOf, type KindFacts, type MessageKind } from '../../message-kinds.ts';
import { PERSON_TAGS } from '../../../content/limits.ts';
import type { TextCredit } from '../ledger/text-credit.ts';
import { keyOf, type MessageRef } from './round-robin.ts';
import type { LedgerRow, Sending } from './sending.ts';

/** One person's copy that begins now. */
export type BegunCopy = {
  readonly place: LedgerRow;
  readonly facts: { attempt: number; strikes: number; subscriberId: number; skip: string };
  /** By which tokens name it: its place in the ledger, or the single's id. */
  readonly ordinal: number;
  /** Where it goes; '' where there is nowhere. */
  readonly to: string;
  readonly email: string;
  readonly values: Values;
  /** Of texts: where the person is known to be. */
  readonly whereabouts?: Whereabouts;
};

export type Whereabouts = { zone: string | null; country: string | null };

export type ActiveRow = {
  account_id: number;
  id: number;
  kind: MessageKind;
  source_id: number | null;
  first_handed_over_at: Date | null;
};

export abstract class ActiveMessage {
  readonly accountId: number;
  readonly id: number;
  readonly kind: MessageKind;
  readonly facts: KindFacts;
  readonly sourceId: number | null;
  readonly isMarketing: boolean;
  readonly from: string;
  /** What its merge tags name. */
  readonly names: readonly string[];
  readonly fields: { id: number; name: string }[];
  /** Some merge tag names a custom field: the column is read only then. */
  readonly withFields: boolean;
  /** Some section is shown only to a group or segment, or something in it is of a shop. */
  readonly hasMemberships: boolean = false;
  /** By which prices are written. */
  readonly locale: string = 'en';
  /** Of texts that are paid for. */
  readonly credit: TextCredit | undefined = undefined;
  /** Which it is, whenever it was loaded. */
  readonly ref: MessageRef;
  readonly key: string;
  /** A hand-over of it has begun, here or elsewhere. */
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
    this.key = keyOf(this.ref);
    this.kind = row.kind;
    this.facts = factsOf(row.kind);
    this.sourceId = row.source_id;
    this.isMarketing = this.facts.permission === 'marketing';
    this.from = from;
    this.names = names;
    const own = names.filter((name) => !(PERSON_TAGS as readonly string[]).includes(name));
    this.fields = fields.filter((field) => own.includes(field.name));
    this.withFields = this.fields.length > 0;
    this.hasStarted = row.first_handed_over_at !== null;
  }

  /** What its copies are asked for by. */
  get copies() {
    const { accountId, id: messageId, names, locale } = this;
    return { accountId, messageId, names, locale };
  }

  /** The hand-overs of a step, in their order. */
  abstract make(copies: readonly BegunCopy[], now: Date): Sending[];
}
