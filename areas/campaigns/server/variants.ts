// Lists and copies the variants of an email campaign, and applies a variant's changes to the
// campaign.
import type { Selectable } from 'kysely';
import { findExperiments, findVariants } from '#areas/broadcasts/server/index.ts';
import { type ContentRef, copyContent, readStoredContent } from '#areas/content/server/index.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { type CampaignRow, TABLES } from './campaigns.sql.ts';

export type CampaignVariant = Selectable<DB['campaign_variants']>;

export async function copyVariant(
  tx: Tx,
  accountId: number,
  userId: number | null,
  variant: CampaignVariant,
) {
  const ref = getOwnContent(variant);
  const copy = ref && (await copyContent(tx, accountId, ref, userId));
  return {
    subject: variant.subject,
    preheader: variant.preheader,
    from_name: variant.from_name,
    has_own_content: variant.has_own_content,
    content_id: copy?.content_id ?? null,
    content_revision: copy?.revision ?? null,
    content_kind: variant.content_kind,
  };
}

export function getOwnContent({
  content_id,
  content_revision,
}: Pick<CampaignVariant, 'content_id' | 'content_revision'>): ContentRef | undefined {
  if (content_id === null || content_revision === null) return undefined;
  return { content_id, revision: content_revision };
}

/** Returns the campaign with the values of this variant. */
export function withVariant(row: CampaignRow, variant: CampaignVariant): CampaignRow {
  const { content_id, content_revision, content_kind } = variant;
  return {
    ...row,
    subject: variant.subject ?? row.subject,
    preheader: variant.preheader ?? row.preheader,
    from_name: variant.from_name ?? row.from_name,
    ...(variant.has_own_content && { content_id, content_revision, content_kind }),
  };
}

/**
 * Returns a key that is the same for variants with identical emails, even if one of them has its
 * own copy of the content.
 */
export async function createContentKey(db: Reader, row: CampaignRow): Promise<string> {
  const { subject, preheader, from_name: name, account_id: accountId } = row;
  const {
    document,
    html,
    plain_text: text,
  } = await readStoredContent(db, {
    accountId,
    content: getOwnContent(row),
  });
  return JSON.stringify([subject, preheader, name, document, html, text]);
}

/** Lists the variants of a campaign, the control first. */
export const listCampaignVariants = (db: Reader, accountId: number, campaignId: number) =>
  findVariants<CampaignVariant>(db, TABLES, accountId, [campaignId]);

/**
 * Returns the variant chosen for the remaining recipients. Undefined before the decision, and if
 * the test included all recipients.
 */
export async function findChosenVariant(
  db: Reader,
  accountId: number,
  campaignId: number,
): Promise<{ number: number; restId: number | null } | undefined> {
  const [experiment] = await findExperiments(db, TABLES, accountId, [campaignId]);
  const number = experiment?.chosen;
  if (!experiment || number == null) return undefined;
  return { number, restId: experiment.rest_message_id };
}
