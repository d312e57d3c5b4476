// SQL of the segments that campaigns go to, or leave out.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database.ts';

export type SegmentRow = { campaign_id: number; id: number; title: string; is_excluded: boolean };

/** Segments in and out of some campaigns, with their titles. */
export function readSegments(
  db: Reader,
  accountId: number,
  campaignIds: readonly number[],
): Promise<SegmentRow[]> {
  return db
    .selectFrom('campaign_segments')
    .innerJoin('segments', (join) =>
      join
        .onRef('segments.account_id', '=', 'campaign_segments.account_id')
        .onRef('segments.id', '=', 'campaign_segments.segment_id'),
    )
    .select([
      'campaign_segments.campaign_id',
      'segments.id',
      'segments.title',
      'campaign_segments.is_excluded',
    ])
    .where('campaign_segments.account_id', '=', accountId)
    .where('segments.account_id', '=', accountId)
    .where('campaign_segments.campaign_id', 'in', campaignIds)
    .orderBy('segments.title')
    .execute();
}

/** Replaces those in, or those out; answers how many of them the account has. */
export async function replaceSegments(
  tx: Tx,
  accountId: number,
  campaignId: number,
  segmentIds: readonly number[],
  isExcluded: boolean,
): Promise<number> {
  await tx
    .deleteFrom('campaign_segments')
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .where('is_excluded', '=', isExcluded)
    .execute();
  if (segmentIds.length === 0) return 0;
  const rows = await tx
    .insertInto('campaign_segments')
    .columns(['account_id', 'campaign_id', 'segment_id', 'is_excluded'])
    .expression((e) =>
      e
        .selectFrom('segments')
        .select([
          'segments.account_id',
          sql<number>`${campaignId}::bigint`.as('campaign_id'),
          'segments.id',
          sql<boolean>`${isExcluded}::boolean`.as('is_excluded'),
        ])
        .where('segments.account_id', '=', accountId)
        .where('segments.id', 'in', segmentIds),
    )
    .returning('segment_id')
    .execute();
  return rows.length;
}

/** Campaigns that are or may still be writing their audience by this segment. */
export function campaignsUsingSegment(
  db: Reader,
  accountId: number,
  segmentId: number,
  sentAfter: Date,
): Promise<{ id: number; title: string; status: string; message_id: number | null }[]> {
  return db
    .selectFrom('campaign_segments')
    .innerJoin('campaigns', (join) =>
      join
        .onRef('campaigns.account_id', '=', 'campaign_segments.account_id')
        .onRef('campaigns.id', '=', 'campaign_segments.campaign_id'),
    )
    .select(['campaigns.id', 'campaigns.title', 'campaigns.status', 'campaigns.message_id'])
    .distinct()
    .where('campaign_segments.account_id', '=', accountId)
    .where('campaigns.account_id', '=', accountId)
    .where('campaign_segments.segment_id', '=', segmentId)
    .where('campaigns.deleted_at', 'is', null)
    .where((e) => e.or([e('status', '=', 'SCHEDULED'), e('sent_at', '>', sentAfter)]))
    .execute();
}

export async function forgetSegment(tx: Tx, accountId: number, segmentId: number): Promise<void> {
  await tx
    .deleteFrom('campaign_segments')
    .where('account_id', '=', accountId)
    .where('segment_id', '=', segmentId)
    .execute();
}

/** The message that each of these campaigns became. */
export async function messagesOfCampaigns(
  db: Reader,
  accountId: number,
  campaignIds: readonly number[],
): Promise<{ id: number; title: string; messageId: number | null }[]> {
  const rows = await db
    .selectFrom('campaigns')
    .select(['id', 'title', 'message_id'])
    .where('account_id', '=', accountId)
    .where('id', 'in', campaignIds)
    .execute();
  return rows.map(({ id, title, message_id }) => ({ id, title, messageId: message_id }));
}
