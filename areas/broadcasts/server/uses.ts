// Finds broadcasts whose audience still depends on a group or segment.
import { type LeadId, toMessageId } from '#areas/delivery/lead-id.ts';
import { readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { BroadcastTables } from './adapter.ts';
import { type ChosenKind, listRowsChoosing } from './recipients.sql.ts';

const DAY_MS = 86_400_000;

/**
 * Finds broadcasts whose audience depends on a group or segment: scheduled ones, models of an
 * active series, and broadcasts whose audience is partly written or has recipients waiting for the
 * winner.
 */
export async function listBroadcastsReading(
  tx: Tx,
  tables: BroadcastTables,
  kind: ChosenKind,
  accountId: number,
  chosenId: number,
): Promise<{ id: number; title: string }[]> {
  const aDayAgo = new Date(clock.now().getTime() - DAY_MS);
  const rows = await listRowsChoosing(tx, tables, kind, accountId, chosenId, aDayAgo);
  // The job of the lead writes the recipients of all variants.
  const leads = rows.flatMap(({ message_id: lead }) => (lead === null ? [] : toMessageId(lead)));
  const deliveries = await readDelivery(tx, accountId, leads);
  const isWritten = (lead: LeadId | null) =>
    lead !== null &&
    deliveries.some(
      (delivery) => delivery.messageId === toMessageId(lead) && delivery.isAudienceDone,
    );
  return rows.filter((row) => row.waits_for_winner || !isWritten(row.message_id));
}
