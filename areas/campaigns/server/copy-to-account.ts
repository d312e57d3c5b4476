// Copies a campaign to another account of the same user.
import { readMember, readRights } from '#areas/accounts/server/index.ts';
import {
  findExperiments,
  findVariants,
  insertExperiment,
  insertRow,
} from '#areas/broadcasts/server/index.ts';
import {
  type ContentCopy,
  type ContentRef,
  copyFiles,
  dropFiles,
  saveCopy,
} from '#areas/content/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { invalid } from '#platform/server/errors.ts';
import { requireRight } from '#platform/server/http/rights.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { getCampaignRow, toContentRef } from './campaigns.ts';
import { type CampaignRow, TABLES } from './campaigns.sql.ts';
import { campaignCreated } from './events.ts';
import { type CampaignVariant, getOwnContent } from './variants.ts';

export async function copyToAccount(
  db: Db,
  caller: Actor,
  id: number,
  target: number,
): Promise<{ id: string }> {
  const targetActor = { accountId: target, userId: caller.userId };
  const source = await inTransaction(db, async (tx) => {
    const row = await getCampaignRow(tx, caller.accountId, id);
    await requireOwnAccount(tx, caller, target);
    const [experiment] = await findExperiments(tx, TABLES, caller.accountId, [id]);
    const variants = await findVariants<CampaignVariant>(tx, TABLES, caller.accountId, [id]);
    return { row, experiment, variants };
  });
  const copies: CopiedContents = new Map();
  let isSaved = false;
  try {
    for (const { number, ref } of listContents(source)) {
      copies.set(number, await copyFiles(db, caller.accountId, ref, targetActor));
    }
    const copyId = await inTransaction(db, async (tx) => {
      // The user may have left the account while the files were copied.
      await requireOwnAccount(tx, caller, target);
      const insertedId = await insertCopy(tx, source, targetActor, copies);
      // From here on, the rows may exist even if this process does not see the commit succeed.
      isSaved = true;
      return insertedId;
    });
    return { id: encodeId('campaign', copyId) };
  } finally {
    if (!isSaved) for (const copy of copies.values()) await dropFiles(copy);
  }
}

type CopySource = {
  row: CampaignRow;
  experiment: Awaited<ReturnType<typeof findExperiments>>[number] | undefined;
  variants: readonly CampaignVariant[];
};
/** Contents by variant number: 1 is the campaign's own. */
type CopiedContents = Map<number, ContentCopy>;

function listContents({ row, variants }: CopySource): { number: number; ref: ContentRef }[] {
  const withOwnContent = variants.filter(
    (variant) => variant.number > 1 && variant.has_own_content,
  );
  return [
    { number: 1, ref: toContentRef(row) },
    ...withOwnContent.map((variant) => ({ number: variant.number, ref: getOwnContent(variant) })),
  ].flatMap(({ number, ref }) => (ref ? [{ number, ref }] : []));
}

/** @throws unless `target` is another account of the user, in which the user may create drafts */
async function requireOwnAccount(tx: Tx, caller: Actor, target: number): Promise<void> {
  const isOwn = target !== caller.accountId && (await readMember(tx, target, caller.userId));
  if (!isOwn) throw invalid({ account: ['errors.unknown_id'] });
  const rights = await readRights(tx, { accountId: target, userId: caller.userId });
  requireRight({ rights }, 'drafts');
}

/**
 * Inserts the copy. Sender address and recipients are not copied, because they belong to the source
 * account; the user therefore continues at the first step.
 */
async function insertCopy(
  tx: Tx,
  { row, experiment, variants }: CopySource,
  targetActor: Actor,
  copies: CopiedContents,
): Promise<number> {
  const { title, subject, preheader, from_name, language, utm_campaign, utm, content_kind } = row;
  const id = await insertRow(
    tx,
    { tables: TABLES },
    targetActor.accountId,
    {
      ...{ title, subject, preheader, from_name, language, utm_campaign },
      utm: JSON.stringify(utm),
      ...(await saveContentCopy(tx, targetActor, copies.get(1), content_kind)),
      last_action: 'step1',
    },
    clock.now(),
  );
  if (experiment) {
    const copiedVariants = [];
    for (const variant of variants)
      copiedVariants.push(await copyVariantColumns(tx, targetActor, variant, copies));
    await insertExperiment(
      tx,
      TABLES,
      { accountId: targetActor.accountId, id },
      experiment,
      copiedVariants,
    );
  }
  await campaignCreated.announce(tx, { accountId: targetActor.accountId, campaignId: id });
  return id;
}

async function saveContentCopy(
  tx: Tx,
  targetActor: Actor,
  copy: ContentCopy | undefined,
  kind: string | null,
) {
  const content = copy && (await saveCopy(tx, targetActor, copy));
  return {
    content_id: content?.content_id ?? null,
    content_revision: content?.revision ?? null,
    content_kind: content ? kind : null,
  };
}

/**
 * Copies a variant's columns. Variant 1 has no separate content because it uses the campaign's.
 */
async function copyVariantColumns(
  tx: Tx,
  targetActor: Actor,
  variant: CampaignVariant,
  copies: CopiedContents,
) {
  const { number, subject, preheader, from_name, has_own_content, delay_minutes } = variant;
  const copy = number > 1 ? copies.get(number) : undefined;
  return {
    ...{ number, subject, preheader, from_name, has_own_content, delay_minutes },
    ...(await saveContentCopy(tx, targetActor, copy, variant.content_kind)),
  };
}
