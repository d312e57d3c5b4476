// Experiments of email campaigns: what a variant changes, and the content of a variant as an email.
import {
  type ExperimentAdapter,
  findVariant,
  requireEditable,
  updateVariant,
} from '#areas/broadcasts/server/index.ts';
import {
  copyContent,
  type EmailAdapter,
  type SendingOptions,
} from '#areas/content/server/index.ts';
import { sendTest } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import type { z } from 'zod';
import type { Actor } from '#platform/server/http/serve.ts';
import { LOCK_ERRORS } from '../composing-contract.ts';
import { type ExperimentInput, VARIANTS_PATH } from '../experiment-contract.ts';
import type { ContentKind } from '../shared.ts';
import { getCampaignRow, toContentRef, lockCampaignRow } from './campaigns.ts';
import { type CampaignRow, TABLES } from './campaigns.sql.ts';
import { campaignEmail } from './email.ts';
import { campaignAdapter } from './adapter.ts';
import { readRates } from './sent-figures.ts';
import { type CampaignVariant, copyVariant, getOwnContent, withVariant } from './variants.ts';

type Input = z.output<typeof ExperimentInput>['variants'][number];

/**
 * Expected values per recipient. The rates of opens and clicks are used only until the account has
 * its own rates from sent campaigns; those of buyers and revenue are used for every account.
 */
const DEFAULT_RATES = { opens: 0.2, clicks: 0.02, buyers: 0.002, revenue: 0.002 } as const;

export function campaignExperiments(
  options: SendingOptions,
): ExperimentAdapter<CampaignRow, CampaignVariant, Input> {
  return {
    broadcast: campaignAdapter(options),
    experimentKind: 'experiment',
    metrics: ['opens', 'clicks', 'buyers', 'revenue'],
    getVariantId: ({ id }) => id ?? undefined,
    changesMessage: ({ subject, preheader, from_name: name, has_own_content: isOwn }) =>
      subject != null || preheader != null || name != null || isOwn === true,
    buildColumns: async (tx, { accountId, userId }, row, input, existingVariant) => ({
      subject: input.subject ?? null,
      preheader: input.preheader ?? null,
      from_name: input.from_name ?? null,
      ...(await prepareContent(tx, { accountId, userId }, row, input, existingVariant)),
    }),
    copyVariant,
    presentFields: presentVariant,
    estimateRate: async (db, accountId, metric) => {
      const rates = await readRates(db, accountId);
      return (
        (metric === 'opens' || metric === 'clicks' ? rates?.[metric] : 0) || DEFAULT_RATES[metric]
      );
    },
  };
}

/**
 * Returns the columns of a variant's content. A variant's own content starts as a copy of the
 * control's.
 */
async function prepareContent(
  tx: Tx,
  caller: Actor,
  row: CampaignRow,
  { has_own_content: isOwn = false }: Input,
  existingVariant: CampaignVariant | undefined,
) {
  if (!isOwn) return { has_own_content: false };
  if (existingVariant?.has_own_content) {
    const { content_id, content_revision, content_kind } = existingVariant;
    return { has_own_content: true, content_id, content_revision, content_kind };
  }
  const ref = toContentRef(row);
  const copy = ref && (await copyContent(tx, caller.accountId, ref, caller.userId));
  return {
    has_own_content: true,
    content_id: copy?.content_id ?? null,
    content_revision: copy?.revision ?? null,
    content_kind: copy ? row.content_kind : null,
  };
}

function presentVariant(row: CampaignRow, variant: CampaignVariant) {
  const { id, number, revision } = variant;
  const isControl = number === 1;
  const hasContent = withVariant(row, variant).content_revision !== null;
  const version = `${row.revision}-${revision}`;
  const path = isControl
    ? `campaigns/${encodeId('campaign', row.id)}`
    : `campaign-variants/${encodeId('variant', id)}`;
  return {
    id: isControl ? null : encodeId('variant', id),
    subject: variant.subject,
    preheader: variant.preheader,
    from_name: variant.from_name,
    has_own_content: variant.has_own_content,
    editor: variant.content_kind as ContentKind | null,
    thumbnail_url: hasContent ? `/client-api/api/${path}/thumbnail?v=${version}` : null,
  };
}

async function findOwnVariant(db: Reader, accountId: number, id: number) {
  const variant = await findVariant<CampaignVariant>(db, TABLES, accountId, id);
  // The control's content is the campaign's.
  if (!variant || variant.number === 1) throw notFound();
  return variant;
}

/** Returns the adapter that content uses to compose the emails of variants. */
export function variantEmails(): EmailAdapter {
  const toVariantEmail = (row: CampaignRow, variant: CampaignVariant) => ({
    ...campaignEmail(withVariant(row, variant)),
    id: variant.id,
    revision: variant.revision,
  });
  return {
    area: 'campaigns',
    basePath: VARIANTS_PATH,
    kind: 'variant',
    lockErrors: LOCK_ERRORS,
    find: async (db, accountId, id) => {
      const variant = await findOwnVariant(db, accountId, id);
      return toVariantEmail(await getCampaignRow(db, accountId, variant.campaign_id), variant);
    },
    // Saving a variant without its own content creates new content so that the control's stays
    // unchanged.
    lock: async (tx, accountId, id) => {
      const { campaign_id: campaignId } = await findOwnVariant(tx, accountId, id);
      const row = await lockCampaignRow(tx, accountId, campaignId);
      await requireEditable(tx, { tables: TABLES }, row);
      const variant = await findOwnVariant(tx, accountId, id);
      const content = variant.has_own_content ? getOwnContent(variant) : undefined;
      const contentKind = variant.content_kind as ContentKind | null;
      return { ...toVariantEmail(row, variant), content, contentKind };
    },
    saveContent: async (tx, { accountId, id }, { content, kind }) => {
      const { campaign_id: campaignId, revision } = await findOwnVariant(tx, accountId, id);
      await updateVariant(tx, TABLES, accountId, id, {
        has_own_content: true,
        content_id: content.content_id,
        content_revision: content.revision,
        content_kind: kind,
        revision: revision + 1,
      });
      sendChangeHint(tx, accountId, 'campaign', campaignId);
    },
    sendTest,
  };
}
