// The demo's campaigns: drafts, scheduled campaigns, and sent campaigns including messages.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import type { DemoHistory } from './history.sql.ts';

export type SentCampaignRow = {
  title: string;
  subject: string;
  preheader: string;
  fromName: string;
  fromEmail: string;
  contentId: number;
  contentRevision: number;
  sentAt: Date;
};

export async function insertSentCampaign(
  tx: Tx,
  history: DemoHistory,
  row: SentCampaignRow,
): Promise<number> {
  const campaign = await tx
    .insertInto('campaigns')
    .values({
      account_id: history.accountId,
      title: row.title,
      subject: row.subject,
      preheader: row.preheader,
      from_name: row.fromName,
      from_email: row.fromEmail,
      reply_to: row.fromEmail,
      status: 'SENT',
      last_action: 'step4',
      content_id: row.contentId,
      content_revision: row.contentRevision,
      content_kind: 'html',
      send_to_all: true,
      scheduled_at: row.sentAt,
      sent_at: row.sentAt,
      created_at: new Date(row.sentAt.getTime() - 2 * 86_400_000),
      modified_at: row.sentAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return campaign.id;
}

export type PastMessage = {
  kind: 'campaign' | 'sms_campaign' | 'workflow' | 'transactional';
  channel: 'email' | 'sms';
  sourceId: number;
  sentAt: Date;
};

export async function insertFinishedMessage(
  tx: Tx,
  history: DemoHistory,
  { kind, channel, sourceId, sentAt }: PastMessage,
  freeze: (messageId: number) => {
    frozen: unknown;
    links: readonly { position: number; url: string; label: string }[];
  },
): Promise<{ messageId: number; links: number }> {
  const end = new Date(sentAt.getTime() + 90_000);
  const { id } = await tx
    .insertInto('messages')
    .values({
      account_id: history.accountId,
      kind,
      channel,
      source_id: sourceId,
      state: 'finished',
      frozen: '{}',
      audience_as_of: sentAt,
      is_audience_complete: true,
      created_at: sentAt,
      started_at: sentAt,
      first_handed_over_at: sentAt,
      finished_at: end,
      modified_at: end,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { frozen, links } = freeze(id);
  await sql`update messages set frozen = ${JSON.stringify(frozen)}::jsonb where account_id = ${history.accountId} and id = ${id}`.execute(
    tx,
  );
  if (links.length > 0) {
    await tx
      .insertInto('links')
      .values(links.map((link) => ({ account_id: history.accountId, message_id: id, ...link })))
      .execute();
  }
  return { messageId: id, links: links.length };
}

export async function setMessageOfCampaign(
  tx: Tx,
  history: DemoHistory,
  campaignId: number,
  messageId: number,
): Promise<void> {
  await sql`update campaigns set message_id = ${messageId} where account_id = ${history.accountId} and id = ${campaignId}`.execute(
    tx,
  );
}

export type OpenCampaign = {
  title: string;
  subject: string;
  preheader: string;
  fromEmail: string;
  fromName: string;
  step: 'step1' | 'editor' | 'step3' | 'step4';
  content: { content_id: number; revision: number } | undefined;
  /** Local time in the account's time zone, and the corresponding instant. */
  schedule: { localTime: string; zone: string; at: Date } | undefined;
  at: Date;
};

/** Inserts a draft or a scheduled campaign. */
export async function insertOpenCampaign(
  tx: Tx,
  accountId: number,
  row: OpenCampaign,
): Promise<number> {
  const { id } = await tx
    .insertInto('campaigns')
    .values({
      account_id: accountId,
      title: row.title,
      subject: row.subject,
      preheader: row.preheader,
      from_name: row.fromName,
      from_email: row.fromEmail,
      reply_to: row.fromEmail,
      status: row.schedule ? 'SCHEDULED' : 'DRAFT',
      last_action: row.step,
      content_id: row.content?.content_id ?? null,
      content_revision: row.content?.revision ?? null,
      content_kind: row.content ? 'html' : null,
      send_to_all: row.step === 'step4',
      schedule_time: row.schedule?.localTime ?? null,
      schedule_zone: row.schedule?.zone ?? null,
      scheduled_at: row.schedule?.at ?? null,
      created_at: row.at,
      modified_at: row.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
