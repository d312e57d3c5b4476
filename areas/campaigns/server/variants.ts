// A variant of an email campaign: what it changes.
import type { Selectable } from 'kysely';
import { type ContentRef, copyContent } from '#areas/content/server/index.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { CampaignRow } from './campaigns.sql.ts';

export type CampaignVariant = Selectable<DB['campaign_variants']>;

export async function copyVariant(
  tx: Tx,
  accountId: number,
  userId: number | null,
  variant: CampaignVariant,
) {
  const ref = ownContent(variant);
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

export function ownContent({
  content_id,
  content_revision,
}: CampaignVariant): ContentRef | undefined {
  if (content_id === null || content_revision === null) return undefined;
  return { content_id, revision: content_revision };
}

/** The campaign as this variant sends it. */
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
