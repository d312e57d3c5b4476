// Revenue within a range of days, by currency: attributed to emails, attributed to SMS, and in
// total.
import { readEarnings } from '#areas/reports/server/index.ts';
import { hasStores } from '#areas/stores/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { EarnedTotals } from '../contract.ts';

type Line = EarnedTotals['currencies'][number];

const roundAmount = (amount: number) => Math.round(amount * 10_000) / 10_000;

export async function sumRevenueBetween(
  tx: Tx,
  accountId: number,
  from: Date,
  to: Date,
): Promise<Pick<EarnedTotals, 'has_store' | 'currencies'>> {
  const lines = new Map<string, Line>();
  for (const row of await readEarnings(tx, accountId, from, to)) {
    const { channel, currency, orders, revenue } = row;
    const line = lines.get(currency) ?? { currency, email: 0, sms: 0, all: 0, orders: 0 };
    lines.set(currency, line);
    line.all = roundAmount(line.all + revenue);
    if (channel === null) continue;
    line[channel] = roundAmount(line[channel] + revenue);
    line.orders += orders;
  }
  const currencies = [...lines.values()].sort((a, b) => b.all - a.all);
  return { has_store: currencies.length > 0 || (await hasStores(tx, accountId)), currencies };
}
