// A campaign as shown to its approvers, and the state that they approve.
import type { ComparedOutline, OutlineLine } from '#areas/approvals/server/index.ts';
import { type BroadcastReview, findLastSent } from '#areas/broadcasts/server/index.ts';
import {
  readAttachedFiles,
  createEmailOutline,
  type Email,
  type SendingOptions,
} from '#areas/content/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { CAMPAIGNS_PATH } from '../composing-contract.ts';
import { VARIANTS_PATH } from '../experiment-contract.ts';
import { type CampaignRow, TABLES } from './campaigns.sql.ts';
import { checkCampaign, campaignEmail } from './email.ts';
import { listCampaignVariants, createContentKey, withVariant } from './variants.ts';

export function campaignReview(options: SendingOptions): BroadcastReview<CampaignRow> {
  return {
    readState: async (db, row) =>
      Promise.all((await listEmails(db, row)).map((email) => readState(db, email))),
    buildApprovalFacts: async (tx, row, recipients) => {
      const emails = await listEmails(tx, row);
      const sections = [];
      for (const { email } of emails) sections.push(await describeEmail(tx, email, options));
      return {
        path: `/campaigns/${encodeId('campaign', row.id)}/confirm`,
        findings: await checkCampaign(tx, row, options, recipients.count),
        outline: sections.flatMap(({ outline }) => outline),
        hosts: [...new Set(sections.flatMap(({ hosts }) => hosts))].sort(),
        previews: emails.map(({ email, path }) => ({
          title: email.envelope.subject,
          path: `${path}/preview`,
        })),
        cost: null,
      };
    },
    readPreviousOutline: (tx, row) => readLastSent(tx, row, options),
  };
}

/** Returns the campaign's email, or one email for each variant of its experiment. */
async function listEmails(db: Reader, row: CampaignRow) {
  const variants = await listCampaignVariants(db, row.account_id, row.id);
  const campaignPath = `${CAMPAIGNS_PATH}/${encodeId('campaign', row.id)}`;
  if (variants.length === 0) return [{ email: campaignEmail(row), row, path: campaignPath }];
  return variants.map((variant) => {
    const asSent = withVariant(row, variant);
    const path =
      variant.number === 1 ? campaignPath : `${VARIANTS_PATH}/${encodeId('variant', variant.id)}`;
    return { email: campaignEmail(asSent), row: asSent, path };
  });
}

/**
 * Reads everything that the copies consist of. A change of any of these values invalidates the
 * approval. Files are listed separately because a revision of the content does not include them.
 */
async function readState(
  db: Reader,
  { email, row }: { email: Email; row: CampaignRow },
): Promise<unknown> {
  const { from, reply_to, language } = email.envelope;
  const files = await readAttachedFiles(db, email);
  const keys = files.map(({ key }) => key);
  return [
    await createContentKey(db, row),
    from,
    reply_to,
    language,
    row.utm_campaign,
    row.utm,
    keys,
  ];
}

export async function describeEmail(
  db: Reader,
  email: Email,
  options: SendingOptions,
): Promise<{ outline: OutlineLine[]; hosts: string[] }> {
  const { subject, preheader, from } = email.envelope;
  const { lines, hosts } = await createEmailOutline(db, email, options);
  const outline: OutlineLine[] = [
    { part: 'subject', text: subject },
    ...(preheader ? [{ part: 'preheader' as const, text: preheader }] : []),
    { part: 'from', text: `${from.name} <${from.email}>` },
    ...lines.map((text) => ({ part: 'text' as const, text })),
  ];
  return { outline, hosts };
}

async function readLastSent(
  tx: Tx,
  row: CampaignRow,
  options: SendingOptions,
): Promise<ComparedOutline | undefined> {
  const lastCampaign = await findLastSent<CampaignRow>(
    tx,
    { tables: TABLES },
    row.account_id,
    row.id,
  );
  if (!lastCampaign) return undefined;
  return {
    comparedWith: 'sent',
    ...(await describeEmail(tx, campaignEmail(lastCampaign), options)),
  };
}
