// Purchases of one person by currency.
import type { Reader } from '#platform/server/database/database.ts';
import type { Worth } from '../earned-contract.ts';
import { readWorth } from './worth.sql.ts';

/** Valid orders minus refunds, and the instant of the last one. */
export async function worthOf(
  db: Reader,
  accountId: number,
  subscriberId: number,
): Promise<Worth | null> {
  const rows = await readWorth(db, accountId, subscriberId);
  const last = Math.max(...rows.map((row) => row.last_at.getTime()));
  if (rows.length === 0) return null;
  return {
    currencies: rows.map(({ currency, orders, revenue }) => ({ currency, orders, revenue })),
    last_order: new Date(last).toISOString(),
  };
}
