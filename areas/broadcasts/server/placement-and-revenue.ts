// Additional data of broadcasts in lists: folder, labels and revenue.
import type { LeadId } from '#areas/delivery/lead-id.ts';
import type { ItemPlacement } from '#areas/folders/items-contract.ts';
import { attachPlaces } from '#areas/folders/server/index.ts';
import type { ItemKind } from '#areas/folders/shared.ts';
import type { Earned } from '#areas/stores/earned-contract.ts';
import { hasStores, revenueOfMessages } from '#areas/stores/server/index.ts';
import type { ListMeta } from '#platform/contract.ts';
import { decodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { listMessagesOfBroadcasts } from './broadcasts.sql.ts';
import { withMessages } from './figures.ts';
import type { BroadcastTables } from './adapter.ts';

type BroadcastPage<Row> = { data: Row[]; meta?: ListMeta | undefined };
type SentBroadcast = { id: number; messageId: LeadId | null };

export async function withPlacesAndRevenue<Row extends { id: string }>(
  tx: Tx,
  accountId: number,
  { tables, kind }: { tables: BroadcastTables; kind: ItemKind },
  page: BroadcastPage<Row>,
): Promise<BroadcastPage<Row & { place: ItemPlacement; earned: Earned[] | null }>> {
  if (page.data.length === 0) return { ...page, data: [] };
  const rowsWithPlaces = await attachPlaces(tx, accountId, kind, page);
  const ids = rowsWithPlaces.data.map(({ id }) => decodeId(kind, id) as number);
  const revenues = await readEarnedByEach(
    tx,
    accountId,
    await listMessagesOfBroadcasts(tx, tables, accountId, ids),
  );
  const data = rowsWithPlaces.data.map((row, index) => ({
    ...row,
    earned: revenues ? (revenues.get(ids[index] as number) ?? []) : null,
  }));
  return { ...rowsWithPlaces, data };
}

/**
 * Returns the revenue of each broadcast by its id, largest amount first; undefined if there is
 * neither a connected store nor any revenue.
 */
async function readEarnedByEach(
  tx: Tx,
  accountId: number,
  sentBroadcasts: readonly SentBroadcast[],
): Promise<Map<number, Earned[]> | undefined> {
  const broadcasts = new Map(
    (await withMessages(tx, accountId, sentBroadcasts)).flatMap(({ id, messageIds }) =>
      messageIds.map((messageId) => [messageId, id] as const),
    ),
  );
  const messageIds = [...broadcasts.keys()];
  const lines =
    messageIds.length === 0 ? [] : await revenueOfMessages.collect(tx, { accountId, messageIds });
  if (lines.length === 0 && !(await hasStores(tx, accountId))) return undefined;
  const earnedByBroadcast = new Map<number, Earned[]>();
  for (const { messageId, ...line } of lines) {
    const id = broadcasts.get(messageId) as number;
    earnedByBroadcast.set(id, withLine(earnedByBroadcast.get(id) ?? [], line));
  }
  return earnedByBroadcast;
}

/**
 * Adds up revenue per currency, because several messages of a broadcast, such as variants, may have
 * revenue in the same one.
 */
function withLine(lines: readonly Earned[], line: Earned): Earned[] {
  const existing = lines.find(({ currency }) => currency === line.currency);
  if (!existing) return [...lines, line].sort((a, b) => b.revenue - a.revenue);
  // In integer ten-thousandths, because floating point sums are inexact.
  const revenue =
    (Math.round(existing.revenue * 10_000) + Math.round(line.revenue * 10_000)) / 10_000;
  const total = { ...existing, orders: existing.orders + line.orders, revenue };
  return lines
    .map((line) => (line === existing ? total : line))
    .sort((a, b) => b.revenue - a.revenue);
}
