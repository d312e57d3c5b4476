// Finds the library images that an account's messages show.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';

const MESSAGES_PER_SLICE = 500;

/**
 * Answers `images.sent` with the given file keys that a message shows. Reads all messages of the
 * account, which are never deleted, in slices.
 */
export async function findSentImages(
  tx: Tx,
  { accountId, fileKeys }: { accountId: number; fileKeys: readonly string[] },
): Promise<string[]> {
  const remaining = new Set(fileKeys);
  const imageKeys: string[] = [];
  for (let after = 0; remaining.size > 0; ) {
    const { rows } = await sql<{ id: number; keys: string[] }>`
      select m.id, array(
        select distinct image.key[1]
        from regexp_matches(m.frozen::text, '/i/[A-Za-z0-9]+/([a-z0-9]{32})', 'g') as image (key)
      ) as keys
      from messages m
      where m.account_id = ${accountId} and m.id > ${after}
      order by m.id
      limit ${MESSAGES_PER_SLICE}`.execute(tx);
    for (const key of rows.flatMap((row) => row.keys))
      if (remaining.delete(key)) imageKeys.push(key);
    const lastRow = rows.at(-1);
    if (lastRow === undefined || rows.length < MESSAGES_PER_SLICE) break;
    after = lastRow.id;
  }
  return imageKeys;
}
