// What a kind of broadcast says of itself: its tables, how it is frozen, checked and shown. The rest of
// its life (recipients, schedule, start, pause, cancel) is the same for emails and texts.
import type { Selectable } from 'kysely';
import type { MessageKind } from '#areas/delivery/message-kinds.ts';
import type { Audience } from '#areas/delivery/server/index.ts';
import type { Kind } from '#platform/ids.ts';
import type { DB } from '#platform/server/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database.ts';

/** The columns that the table of each kind of broadcast has. */
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
>;

/** Each has the columns of BroadcastRow: which of them it is makes no difference to its statements. */
export type AnyRows = 'campaigns';

/** Its row, and the groups and segments it names (account_id, campaign_id, group_id or segment_id, is_excluded). */
export type BroadcastTables =
  | { rows: 'campaigns'; groups: 'campaign_groups'; segments: 'campaign_segments' }
  | { rows: 'sms_campaigns'; groups: 'sms_campaign_groups'; segments: 'sms_campaign_segments' };

export interface BroadcastOwner<
  Row extends BroadcastRow = BroadcastRow,
  Shown extends { id: string } = { id: string },
> {
  /** Names its calls, texts and pollers. */
  area: string;
  idKind: Kind;
  messageKind: MessageKind;
  tables: BroadcastTables;
  /** Where its calls stand: `/client-api/api/campaigns`. */
  base: string;
  /** Freezes what it says and hands it to delivery. Throws what keeps it from leaving. */
  start(tx: Tx, row: Row, audience: Audience): Promise<{ messageId: number }>;
  /** Throws where it may not be sent or scheduled as it is. */
  requireSendable(tx: Tx, row: Row): Promise<void>;
  present(db: Reader, rows: readonly Row[]): Promise<Shown[]>;
  /** The last step of its making once recipients are chosen, and the first one. */
  steps: { all: readonly string[]; settled: string; open: string };
  /** Whom it goes to is no choice of its own (a resend): their part of the audience, else undefined. */
  fixedAudience?(db: Reader, row: Row): Promise<Partial<Audience> | undefined>;
  /** Its owner stopped it after the first were reached. */
  stopped?(tx: Tx, row: Row): Promise<void>;
  /** The first has left. */
  left?(tx: Tx, id: number, accountId: number, at: Date): Promise<void>;
  /** It ended, and nobody was there to be reached. */
  endedEmpty?(tx: Tx, id: number, accountId: number, at: Date): Promise<void>;
  /** Its time came, and it could not leave: it is a draft again. */
  notStarted(tx: Tx, row: Row, at: Date): Promise<void>;
  /** What concerns its owner, and is no fault of the installation. */
  isOwnersMatter(error: unknown): boolean;
}
