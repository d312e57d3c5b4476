// A campaign as an email of the content area: its envelope, lock, checks and source.
import {
  readRecipientChoices,
  requireChangeable,
  updateRow,
} from '#areas/broadcasts/server/index.ts';
import {
  checkEmail,
  type Email,
  type EmailOwner,
  messageSource,
  type SendingOptions,
} from '#areas/content/server/index.ts';
import { sendTest } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { hint } from '#platform/server/live/live.ts';
import { CAMPAIGN_CALLS, LOCK_ERRORS } from '../composing-contract.ts';
import type { Finding } from '../contract.ts';
import type { ContentKind } from '../shared.ts';
import { campaignRow, changed, contentRef, lockedRow } from './campaigns.ts';
import { type CampaignRow, TABLES } from './campaigns.sql.ts';
import { recipientsFindings } from './findings.ts';

export function campaignEmails(options: SendingOptions): EmailOwner {
  return {
    area: 'campaigns',
    base: CAMPAIGN_CALLS,
    kind: 'campaign',
    lockErrors: LOCK_ERRORS,
    find: async (db, accountId, id) => campaignEmail(await campaignRow(db, accountId, id)),
    lock: async (tx, accountId, id) => {
      const row = await lockedRow(tx, accountId, id);
      await requireChangeable(tx, { tables: TABLES }, row);
      return campaignEmail(row);
    },
    keep: saveContent,
    inspect: async (db, email, found) =>
      recipientsFindings(db, await campaignRow(db, email.accountId, email.id), found, options),
    sendTest,
  };
}

export function campaignEmail(row: CampaignRow): Email {
  return {
    accountId: row.account_id,
    id: row.id,
    revision: row.revision,
    content: contentRef(row),
    contentKind: row.content_kind as ContentKind | null,
    envelope: {
      kind: 'marketing',
      subject: row.subject,
      preheader: row.preheader,
      from: { name: row.from_name, email: row.from_email },
      reply_to: row.reply_to,
      language: row.language,
      utm: utmOf(row),
    },
  };
}

/** A resend has the groups of its original. */
function utmOf(row: CampaignRow): Email['envelope']['utm'] {
  const { account_id: accountId, utm_campaign: campaign, utm } = row;
  if (campaign === null) return undefined;
  const originalId = row.resend_of ?? row.id;
  return {
    values: { ...utm, campaign },
    at: row.scheduled_at,
    facts: async (db) => {
      const choices = await readRecipientChoices(db, { tables: TABLES }, accountId, [originalId]);
      const groups = choices(originalId).tags.map(({ title }) => title);
      return { title: row.title, id: encodeId('campaign', row.id), groups };
    },
  };
}

async function saveContent(
  tx: Tx,
  { accountId, id }: Email,
  { content, kind }: Parameters<EmailOwner['keep']>[2],
): Promise<void> {
  const row = await campaignRow(tx, accountId, id);
  await updateRow(tx, { tables: TABLES }, accountId, id, {
    content_id: content.content_id,
    content_revision: content.revision,
    content_kind: kind,
    ...changed(row, 'step3'),
  });
  hint(tx, accountId, 'campaign', id);
}

/** Input of a campaign's message; delivery adds the message's id. */
export function campaignSource(db: Reader, row: CampaignRow, options: SendingOptions) {
  return messageSource(db, campaignEmail(row), options);
}

/** All findings before sending, worst first. `recipients`: their number, if it is known. */
export function checkCampaign(
  db: Reader,
  row: CampaignRow,
  options: SendingOptions,
  recipients?: number,
): Promise<Finding[]> {
  return checkEmail(db, campaignEmail(row), options, (_, __, found) =>
    recipientsFindings(db, row, found, options, recipients),
  );
}
