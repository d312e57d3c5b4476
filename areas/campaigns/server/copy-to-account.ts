// A copy of a campaign in another account of the same user.
import { readMember } from '#areas/accounts/server/index.ts';
import { insertRow } from '#areas/broadcasts/server/index.ts';
import { type ContentCopy, copyFiles, dropFiles, saveCopy } from '#areas/content/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { invalid } from '#platform/server/errors.ts';
import { campaignRow, contentRef } from './campaigns.ts';
import { type CampaignRow, TABLES } from './campaigns.sql.ts';
import { campaignCreated } from './events.ts';

type Who = { accountId: number; userId: number };

export async function copyToAccount(
  db: Db,
  who: Who,
  id: number,
  target: number,
): Promise<{ id: string }> {
  const to = { accountId: target, userId: who.userId };
  const row = await inTransaction(db, async (tx) => {
    const found = await campaignRow(tx, who.accountId, id);
    await requireOwn(tx, who, target);
    return found;
  });
  const ref = contentRef(row);
  const copy = ref && (await copyFiles(db, who.accountId, ref, to));
  let isSaved = false;
  try {
    const copyId = await inTransaction(db, async (tx) => {
      // The user may have left the account while the files were copied.
      await requireOwn(tx, who, target);
      const inserted = await insertCopy(tx, row, to, copy);
      // From here on the rows may exist, even if the response of the commit is lost.
      isSaved = true;
      return inserted;
    });
    return { id: encodeId('campaign', copyId) };
  } finally {
    if (copy && !isSaved) await dropFiles(copy);
  }
}

/** Another account that the user belongs to. */
async function requireOwn(tx: Tx, who: Who, target: number): Promise<void> {
  const isOwn = target !== who.accountId && (await readMember(tx, target, who.userId));
  if (!isOwn) throw invalid({ account: ['errors.unknown_id'] });
}

/** Sender and recipients belong to an account, so the copy starts at the settings. */
async function insertCopy(
  tx: Tx,
  row: CampaignRow,
  to: Who,
  copy: ContentCopy | undefined,
): Promise<number> {
  const content = copy && (await saveCopy(tx, to, copy));
  const { title, subject, preheader, from_name, language, utm_campaign, content_kind } = row;
  const id = await insertRow(
    tx,
    { tables: TABLES },
    to.accountId,
    {
      ...{ title, subject, preheader, from_name, language, utm_campaign },
      content_id: content?.content_id ?? null,
      content_revision: content?.revision ?? null,
      content_kind: content ? content_kind : null,
      last_action: 'step1',
    },
    clock.now(),
  );
  await campaignCreated.announce(tx, { accountId: to.accountId, campaignId: id });
  return id;
}
