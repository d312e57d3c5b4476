// References of broadcasts to other objects: the groups and segments of audiences that are not
// written yet.
import { readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { BroadcastTables } from './owner.ts';
import { type ChosenKind, rowsChoosing } from './recipients.sql.ts';

const DAY_MS = 86_400_000;

/**
 * Broadcasts whose audience still depends on it: scheduled, with an incomplete audience, or with a
 * rest that waits for the winner.
 */
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
    deliveries.some((delivery) => delivery.messageId === messageId && delivery.isAudienceDone);
  return rows.filter((row) => row.waits_for_winner || !isWritten(row.message_id));
}
