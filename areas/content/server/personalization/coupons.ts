// Coupon pools: single-use codes, imported or generated, each drawn for at most one copy.
import { randomInt } from 'node:crypto';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { MAX_CODE, MAX_CODES, MAX_POOLS } from '../../shared.ts';
import * as store from './coupons.sql.ts';

const present = (row: store.PoolRow) => ({
  id: encodeId('coupon_pool', row.id),
  title: row.title,
  total: row.total,
  left: row.left,
  created: row.created_at.toISOString(),
});

export async function listPools(db: Reader, accountId: number) {
  return (await store.listPools(db, accountId, undefined)).map(present);
}

export async function readPool(db: Reader, accountId: number, id: number) {
  const [row] = await store.listPools(db, accountId, id);
  if (!row) throw notFound();
  return present(row);
}

export async function createPool(tx: Tx, accountId: number, title: string) {
  if ((await store.listPools(tx, accountId, undefined)).length >= MAX_POOLS) {
    throw new AppError('too_many_pools', { values: { limit: MAX_POOLS } });
  }
  return readPool(tx, accountId, await store.insertPool(tx, accountId, title, clock.now()));
}

export async function renamePool(tx: Tx, accountId: number, id: number, title: string) {
  if (!(await store.changePool(tx, accountId, id, { title }, clock.now()))) throw notFound();
  return readPool(tx, accountId, id);
}

/** Deletes the pool and its unused codes. */
export async function deletePool(tx: Tx, accountId: number, id: number): Promise<void> {
  const at = clock.now();
  if (!(await store.changePool(tx, accountId, id, { deleted_at: at }, at))) throw notFound();
  await store.deleteUnusedCodes(tx, accountId, id);
}

/**
 * Adds codes from a file or list: one per line, or the first column. Returns the pool, the number
 * of new codes, and the number of codes that the pool already contained.
 */
export async function addCodes(tx: Tx, accountId: number, id: number, input: string) {
  const codes = parseCodes(input);
  if (codes.length === 0) throw invalid({ codes: ['errors.fields.required'] });
  const longCode = codes.find((code) => code.length > MAX_CODE);
  if (longCode !== undefined) throw invalid({ codes: ['errors.fields.too_long'] });
  const addedCount = await insertWithin(tx, accountId, id, codes);
  return {
    pool: await readPool(tx, accountId, id),
    added: addedCount,
    doubled: codes.length - addedCount,
  };
}

function parseCodes(input: string): string[] {
  const lines = input
    .replace(/^\ufeff/, '')
    .replaceAll('\0', '')
    .split(/\r\n|\r|\n/);
  const firstColumn = lines.map((line) =>
    (/^\s*"((?:[^"]|"")*)"/.exec(line)?.[1] ?? line.split(/[,;\t]/)[0] ?? '')
      .replaceAll('""', '"')
      .trim(),
  );
  // Skips a column header.
  const heads = /^(?:code|codes|coupon|coupon code|coupon_code)$/i.test(firstColumn[0] ?? '');
  return [...new Set(firstColumn.slice(heads ? 1 : 0).filter(Boolean))];
}

async function insertWithin(tx: Tx, accountId: number, id: number, codes: readonly string[]) {
  if (!(await store.lockPool(tx, accountId, id))) throw notFound();
  const [pool] = await store.listPools(tx, accountId, id);
  if ((pool?.total ?? 0) + codes.length > MAX_CODES) {
    throw new AppError('too_many_codes', { values: { limit: MAX_CODES } });
  }
  return store.insertCodes(tx, accountId, id, codes);
}

/** Characters of generated codes, without easily confused ones. */
const CODE_CHARACTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 8;

/** Generates new codes: a prefix and eight random characters out of 31, which cannot be guessed. */
export async function generateCodes(
  tx: Tx,
  accountId: number,
  id: number,
  { count, prefix }: { count: number; prefix: string },
) {
  let addedCount = 0;
  while (addedCount < count) {
    const codes = Array.from({ length: count - addedCount }, () => prefix + createRandomCode());
    addedCount += await insertWithin(tx, accountId, id, codes);
  }
  return { pool: await readPool(tx, accountId, id), added: addedCount, doubled: 0 };
}

const createRandomCode = () =>
  Array.from(
    { length: CODE_LENGTH },
    () => CODE_CHARACTERS[randomInt(CODE_CHARACTERS.length)],
  ).join('');

/**
 * Returns the codes of these copies and draws missing ones; copies without a code are absent if the
 * pool is empty.
 */
export async function assignCodes(
  db: Reader,
  accountId: number,
  poolId: number,
  messageId: number,
  subscriberIds: readonly number[],
): Promise<Map<number, string>> {
  const drawnCodes = await store.listDrawnCodes(db, accountId, poolId, messageId, subscriberIds);
  const codes = new Map(drawnCodes.map((coupon) => [coupon.subscriber_id, coupon.code]));
  const missingIds = subscriberIds.filter((subscriberId) => !codes.has(subscriberId));
  if (missingIds.length === 0) return codes;
  const at = clock.now();
  for (const coupon of await store.drawCodes(db, accountId, poolId, messageId, missingIds, at)) {
    codes.set(coupon.subscriber_id, coupon.code);
  }
  return codes;
}
