// Adapts campaigns to the content area's `Email` and `EmailAdapter`: envelope, locking, saving,
// checks and message source.
import {
  readRecipientChoices,
  requireEditable,
  updateRow,
} from '#areas/broadcasts/server/index.ts';
import {
  checkEmail,
  type Email,
  type EmailAdapter,
  createMessageSource,
  type SendingOptions,
} from '#areas/content/server/index.ts';
import { sendTest } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { CAMPAIGNS_PATH, LOCK_ERRORS } from '../composing-contract.ts';
import type { Finding } from '../contract.ts';
import type { ContentKind } from '../shared.ts';
import { getCampaignRow, changeColumns, toContentRef, lockCampaignRow } from './campaigns.ts';
import { type CampaignRow, TABLES } from './campaigns.sql.ts';
import { listRecipientsFindings } from './findings.ts';

export function campaignEmails(options: SendingOptions): EmailAdapter {
  return {
    area: 'campaigns',
    basePath: CAMPAIGNS_PATH,
    kind: 'campaign',
    lockErrors: LOCK_ERRORS,
    find: async (db, accountId, id) => campaignEmail(await getCampaignRow(db, accountId, id)),
    lock: async (tx, accountId, id) => {
      const row = await lockCampaignRow(tx, accountId, id);
      await requireEditable(tx, { tables: TABLES }, row);
      return campaignEmail(row);
    },
    saveContent,
    addFindings: async (db, email, findings) =>
      listRecipientsFindings(
        db,
        await getCampaignRow(db, email.accountId, email.id),
        findings,
        options,
      ),
    sendTest,
  };
}

export function campaignEmail(row: CampaignRow): Email {
  return {
    accountId: row.account_id,
    id: row.id,
    revision: row.revision,
    content: toContentRef(row),
    contentKind: row.content_kind as ContentKind | null,
    envelope: {
      kind: 'marketing',
      subject: row.subject,
      preheader: row.preheader,
      from: { name: row.from_name, email: row.from_email },
      reply_to: row.reply_to,
      language: row.language,
      utm: getUtm(row),
    },
  };
}

/** Returns the UTM parameters of a campaign, or undefined if it adds none. */
function getUtm(row: CampaignRow): Email['envelope']['utm'] {
  const { account_id: accountId, utm_campaign: campaign, utm } = row;
  if (campaign === null) return undefined;
  // A resend has no groups; the `group` token uses the original campaign's groups.
  const originalId = row.resend_of ?? row.id;
  return {
    values: { ...utm, campaign },
    at: row.scheduled_at,
    readCampaign: async (db) => {
      const choices = await readRecipientChoices(db, { tables: TABLES }, accountId, [originalId]);
      const groups = choices(originalId).tags.map(({ title }) => title);
      return { title: row.title, id: encodeId('campaign', row.id), groups };
    },
  };
}

async function saveContent(
  tx: Tx,
  { accountId, id }: Email,
  { content, kind }: Parameters<EmailAdapter['saveContent']>[2],
): Promise<void> {
  const row = await getCampaignRow(tx, accountId, id);
  await updateRow(tx, { tables: TABLES }, accountId, id, {
    content_id: content.content_id,
    content_revision: content.revision,
    content_kind: kind,
    ...changeColumns(row, 'step3'),
  });
  sendChangeHint(tx, accountId, 'campaign', id);
}

/** Builds the message source of a campaign, without `message_id`, which delivery assigns. */
export function campaignSource(db: Reader, row: CampaignRow, options: SendingOptions) {
  return createMessageSource(db, campaignEmail(row), options);
}

/**
 * Returns all findings before sending, worst first. @param recipientCount number of recipients,
 * if the caller has counted them
 */
export function checkCampaign(
  db: Reader,
  row: CampaignRow,
  options: SendingOptions,
  recipientCount?: number,
): Promise<Finding[]> {
  return checkEmail(db, campaignEmail(row), options, (_, __, findings) =>
    listRecipientsFindings(db, row, findings, options, recipientCount),
  );
}
