// What of others broadcasts still need: the groups and segments that they are yet to read their people from.
import { readDelivery } from '#areas/delivery/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import type { BroadcastTables } from './owner.ts';
import { type ChosenKind, rowsChoosing } from './recipients.sql.ts';

const DAY_MS = 86_400_000;

/** Those that are still to read their people from it: scheduled, or with an audience that is not whole yet. */
export async function broadcastsReading(
  tx: Tx,
  tables: BroadcastTables,
  kind: ChosenKind,
  accountId: number,
  chosenId: number,
): Promise<{ id: number; title: string }[]> {
  const aDayAgo = new Date(clock.now().getTime() - DAY_MS);
  const rows = await rowsChoosing(tx, tables, kind, accountId, chosenId, aDayAgo);
  const messageIds = rows.flatMap((row) => (row.message_id === null ? [] : [row.message_id]));
  const deliveries = await readDelivery(tx, accountId, messageIds);
  const isWritten = (messageId: number | null) =>
    deliveries.some((one) => one.messageId === messageId && one.isAudienceDone);
  return rows.filter((row) => !isWritten(row.message_id));
}
