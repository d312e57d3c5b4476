// Checks that coupon pools have a code for each recipient of an email.
import { decodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { forEachBlock } from '../../document.ts';
import { listShopNames, collectShopNeeds } from '../../shop-names.ts';
import type { Email } from './email.ts';
import { readStoredContent } from './source.ts';
import { parseReadableDocument } from '../content-source.ts';
import { listPools } from '../personalization/coupons.sql.ts';
import { ContentError } from '../personalization/message-source.ts';

/** Finds pools with fewer unused codes than `recipients`; deleted pools have the title ''. */
export async function findShortPools(
  db: Reader,
  email: Pick<Email, 'accountId' | 'content'>,
  recipients: number,
): Promise<{ title: string; remaining: number }[]> {
  const poolIds = await listUsedPools(db, email);
  const shortPools: { title: string; remaining: number }[] = [];
  for (const id of poolIds) {
    const [pool] = await listPools(db, email.accountId, id);
    const unusedCodes = pool?.left ?? 0;
    if (unusedCodes < recipients)
      shortPools.push({ title: pool?.title ?? '', remaining: unusedCodes });
  }
  return shortPools;
}

async function listUsedPools(db: Reader, email: Pick<Email, 'accountId' | 'content'>) {
  const content = await readStoredContent(db, email);
  if (content.kind !== 'editor') {
    return collectShopNeeds(listShopNames(content.html, content.plain_text)).pools;
  }
  const pools = new Set<number>();
  try {
    forEachBlock(parseReadableDocument(content.document), (block) => {
      const id = block.type === 'coupon' ? decodeId('coupon_pool', block.pool ?? '') : undefined;
      if (id !== undefined) pools.add(id);
    });
  } catch (error) {
    // Unreadable content is reported by another finding.
    if (!(error instanceof ContentError)) throw error;
  }
  return [...pools];
}
