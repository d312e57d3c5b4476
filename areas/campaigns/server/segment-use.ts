// What campaigns and segments ask each other: who is to be chosen by a segment, and which message a
// campaign became that a condition names.
import { readDelivery } from '#areas/delivery/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import * as store from './segments.sql.ts';

const DAY_MS = 86_400_000;

/** Answers `segment.usedBy`: campaigns that are still to read their people by it. */
export async function campaignsUsingSegment(
  tx: Tx,
  { accountId, segmentId }: { accountId: number; segmentId: number },
): Promise<{ kind: string; id: string; title: string }[]> {
  const recent = new Date(clock.now().getTime() - DAY_MS);
  const rows = await store.campaignsUsingSegment(tx, accountId, segmentId, recent);
  const messageIds = rows.flatMap((row) => (row.message_id === null ? [] : [row.message_id]));
  const deliveries = await readDelivery(tx, accountId, messageIds);
  const isWritten = (messageId: number | null) =>
    deliveries.some((one) => one.messageId === messageId && one.isAudienceDone);
  return rows
    .filter((row) => row.status === 'SCHEDULED' || !isWritten(row.message_id))
    .map((row) => ({ kind: 'campaign', id: encodeId('campaign', row.id), title: row.title }));
}

/** Drafts lose the segment; their check asks for recipients. */
export async function forgetSegment(
  tx: Tx,
  { accountId, segmentId }: { accountId: number; segmentId: number },
): Promise<void> {
  await store.forgetSegment(tx, accountId, segmentId);
}

/** Answers `segment.campaigns`; a campaign that was removed from the list is still what it was. */
export function tellCampaigns(
  tx: Tx,
  { accountId, campaignIds }: { accountId: number; campaignIds: readonly number[] },
): Promise<{ id: number; title: string; messageId: number | null }[]> {
  return store.messagesOfCampaigns(tx, accountId, campaignIds);
}
