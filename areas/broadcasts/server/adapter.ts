// The interface that each kind of broadcast implements: tables, building of messages, checks and
// presentation. The lifecycle (recipients, schedule, start, pause, cancel) is shared by all kinds.
import type { Selectable, Updateable } from 'kysely';
import type { ApprovalFacts, ComparedOutline } from '#areas/approvals/server/index.ts';
import type { MessageKind } from '#areas/delivery/message-kinds.ts';
import type { Audience, NewMessage } from '#areas/delivery/server/ledger/index.ts';
import type { Kind } from '#platform/ids.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { Recipients } from '../recipients-contract.ts';

/** Columns in the table of each kind of broadcast. */
export type BroadcastRow = Pick<
  Selectable<DB['campaigns']>,
  | 'account_id'
  | 'id'
  | 'title'
  | 'status'
  | 'last_action'
  | 'revision'
  | 'send_to_all'
  | 'schedule_time'
  | 'schedule_zone'
  | 'scheduled_at'
  | 'message_id'
  | 'sent_at'
  | 'modified_at'
  | 'series_of'
  | 'occurs_on'
  | 'timing'
>;

/** A variant of an experiment of any kind of broadcast. */
export type AnyVariant = Selectable<DB['campaign_variants']> | Selectable<DB['sms_variants']>;

/** Every table has the columns of BroadcastRow, so statements do not depend on the kind. */
export type AnyRows = 'campaigns';
export type AnySeries = 'campaign_series';
export type SeriesRow = Selectable<DB['campaign_series']>;
export type SeriesChanges = Updateable<DB['campaign_series']>;

/**
 * The tables of a kind: broadcasts, their groups and segments (account_id, campaign_id, group_id or
 * segment_id, is_excluded), experiments with variants, and repetitions.
 */
export type BroadcastTables =
  | {
      rows: 'campaigns';
      groups: 'campaign_groups';
      segments: 'campaign_segments';
      experiments: 'campaign_experiments';
      variants: 'campaign_variants';
      series: 'campaign_series';
    }
  | {
      rows: 'sms_campaigns';
      groups: 'sms_campaign_groups';
      segments: 'sms_campaign_segments';
      experiments: 'sms_experiments';
      variants: 'sms_variants';
      series: 'sms_series';
    };

/** Fields that differ between a campaign of a series and its model. */
export type OccurrenceChanges = {
  title: string;
  status: 'SCHEDULED';
  schedule_time: string;
  schedule_zone: string;
  scheduled_at: Date;
  last_action: string;
  series_of: number;
  occurs_on: string;
};

export type BroadcastReview<Row extends BroadcastRow = BroadcastRow> = {
  /** Parts that are sent in addition to the row: content, files and variants. */
  readState(db: Reader, row: Row): Promise<unknown>;
  buildApprovalFacts(
    tx: Tx,
    row: Row,
    /** The recipients, counted once because several parts of the review show the count. */
    recipients: Recipients,
  ): Promise<Pick<ApprovalFacts, 'findings' | 'outline' | 'hosts' | 'previews' | 'cost' | 'path'>>;
  /** The outline of the last sent broadcast, for comparison; undefined if there is none. */
  readPreviousOutline(tx: Tx, row: Row): Promise<ComparedOutline | undefined>;
};

/** The parts of a presented broadcast that all kinds share. */
export type ShownBroadcast = {
  id: string;
  delivery: { state: string; audience: number } | null;
};

export interface BroadcastAdapter<
  Row extends BroadcastRow = BroadcastRow,
  Shown extends ShownBroadcast = ShownBroadcast,
> {
  /** Name of the area: the prefix of its routes, texts and pollers. */
  area: string;
  idKind: Kind;
  messageKind: MessageKind;
  tables: BroadcastTables;
  /** Base path of the calls of this kind, such as `/client-api/api/campaigns`. */
  base: string;
  /** Builds the content of the broadcast's message. @throws the error that prevents sending */
  buildMessage(tx: Tx, row: Row): Promise<NewMessage>;
  /** @throws if the broadcast must not be sent or scheduled in its current state */
  requireSendable(tx: Tx, row: Row): Promise<void>;
  /** Returns the broadcast with the values of this variant of its experiment. */
  withVariant(row: Row, variant: AnyVariant): Row;
  /** @throws if the content of a variant, as returned by `withVariant`, must not be sent */
  requireVariant(tx: Tx, row: Row): Promise<void>;
  /** Returns a key that is equal for variants with the same content. */
  contentKey(db: Reader, row: Row): Promise<string>;
  present(db: Reader, rows: readonly Row[]): Promise<Shown[]>;
  /**
   * `all` contains the steps of editing in order. Editing continues at `withRecipients` once
   * recipients are selected, otherwise at `withoutRecipients`.
   */
  steps: { all: readonly string[]; withRecipients: string; withoutRecipients: string };
  /** The part of the audience that users cannot choose, for a resend; otherwise undefined. */
  findFixedAudience?(db: Reader, row: Row): Promise<Partial<Audience> | undefined>;
  /** Creates a copy with these changes and the same content and recipients; returns its id. */
  copy(tx: Tx, row: Row, changes: OccurrenceChanges): Promise<number>;
  /** Called when a user cancels the broadcast after its first handoff. */
  onCanceled?(tx: Tx, row: Row): Promise<void>;
  /** Called when the first copy was handed off. */
  onFirstHandoff?(tx: Tx, id: number, accountId: number, at: Date): Promise<void>;
  /** Called when the broadcast ended without any recipient. */
  onEndedEmpty?(tx: Tx, id: number, accountId: number, at: Date): Promise<void>;
  /** Presentation of a request to send the broadcast, for the users who decide on it. */
  review: BroadcastReview<Row>;
  /** The broadcast's name in notices. */
  getName(row: Row): string;
  /** Code of an error that prevents sending; undefined for temporary failures. */
  getErrorCode(error: unknown): string | undefined;
  /**
   * Whether users of the account can resolve the error; false for a failure of the installation.
   */
  isResolvableByUsers(error: unknown): boolean;
}

/** Returns the kind of approval for the schedule of a broadcast. */
export const scheduleKind = ({ idKind }: { idKind: Kind }) =>
  idKind === 'sms' ? ('sms_schedule' as const) : ('campaign_schedule' as const);
