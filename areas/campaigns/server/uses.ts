// What of others campaigns still need, and what they lose when it goes: groups, segments, fields,
// pictures. Answers the questions that the lower floors ask before they let somebody delete.
import { needsProof, readDelivery } from '#areas/delivery/server/index.ts';
import { domainOf } from '#areas/domains/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import * as store from './campaigns.sql.ts';
import * as segments from './segments.sql.ts';

const DAY_MS = 86_400_000;

type Use = { kind: string; id: string; title: string };
type Reading = { id: number; title: string; status: string; message_id: number | null };

/** Answers `group.usedBy`: campaigns that are still to read their people from it, or show a section to it. */
export async function campaignsUsingGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<Use[]> {
  const rows = await store.campaignsUsingGroup(tx, accountId, groupId, aDayAgo());
  return readingOrShowing(tx, accountId, rows, shownToGroup(groupId));
}

/** Answers `segment.usedBy`: campaigns that are still to read their people by it, or show a section to it. */
export async function campaignsUsingSegment(
  tx: Tx,
  { accountId, segmentId }: { accountId: number; segmentId: number },
): Promise<Use[]> {
  const rows = await segments.campaignsUsingSegment(tx, accountId, segmentId, aDayAgo());
  return readingOrShowing(tx, accountId, rows, shownToSegment(segmentId));
}

const shownToGroup = (id: number) => `"group": "${encodeId('group', id)}"`;
const shownToSegment = (id: number) => `"segment": "${encodeId('segment', id)}"`;

async function readingOrShowing(
  tx: Tx,
  accountId: number,
  rows: Reading[],
  pattern: string,
): Promise<Use[]> {
  const reading = await stillReading(tx, accountId, rows);
  const showing = await store.campaignsUsingTag(tx, accountId, pattern, true);
  const others = showing.filter(({ id }) => !reading.some((row) => row.id === id));
  return named([...reading, ...others]);
}

/** Answers `field.usedBy`: campaigns of which some is still to be sent that name its merge tag, in either spelling. */
export async function campaignsUsingField(
  tx: Tx,
  { accountId, name }: { accountId: number; name: string },
): Promise<Use[]> {
  const pattern = `\\{\\{\\s*${name}\\M|\\{\\$${name}\\}|"field": "${name}"`;
  return named(await store.campaignsUsingTag(tx, accountId, pattern, true));
}

/** Answers `image.usedBy`: campaigns still to be sent that show the picture; what is sent keeps its own. */
export async function campaignsUsingImage(
  tx: Tx,
  { accountId, fileKey }: { accountId: number; fileKey: string },
): Promise<Use[]> {
  return named(await store.campaignsUsingTag(tx, accountId, fileKey, false));
}

/** Answers `domain.usedBy`: campaigns from it that are scheduled or on their way. */
export async function campaignsFromDomain(
  tx: Tx,
  { accountId, domain }: { accountId: number; domain: string },
): Promise<Use[]> {
  if (!needsProof()) return [];
  const rows = await store.campaignsToSend(tx, accountId);
  return named(rows.filter((row) => domainOf(row.from_email) === domain));
}

/** Drafts lose the group, those that were removed too; their check asks for recipients. */
export async function forgetGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<void> {
  const used = { table: 'campaign_groups' as const, column: 'group_id', id: groupId };
  await store.unscheduleRemoved(tx, accountId, used, shownToGroup(groupId));
  await store.forgetGroup(tx, accountId, groupId);
}

/** Drafts lose the segment, those that were removed too; their check asks for recipients. */
export async function forgetSegment(
  tx: Tx,
  { accountId, segmentId }: { accountId: number; segmentId: number },
): Promise<void> {
  const used = { table: 'campaign_segments' as const, column: 'segment_id', id: segmentId };
  await store.unscheduleRemoved(tx, accountId, used, shownToSegment(segmentId));
  await segments.forgetSegment(tx, accountId, segmentId);
}

/** Answers `segment.campaigns`; a campaign that was removed from the list is still what it was. */
export function tellCampaigns(
  tx: Tx,
  { accountId, campaignIds }: { accountId: number; campaignIds: readonly number[] },
): Promise<{ id: number; title: string; messageId: number | null }[]> {
  return segments.messagesOfCampaigns(tx, accountId, campaignIds);
}

const aDayAgo = () => new Date(clock.now().getTime() - DAY_MS);

/** Of these, the ones whose recipients are not all written yet. */
async function stillReading(tx: Tx, accountId: number, rows: Reading[]): Promise<Reading[]> {
  const messageIds = rows.flatMap((row) => (row.message_id === null ? [] : [row.message_id]));
  const deliveries = await readDelivery(tx, accountId, messageIds);
  const isWritten = (messageId: number | null) =>
    deliveries.some((one) => one.messageId === messageId && one.isAudienceDone);
  return rows.filter((row) => !isWritten(row.message_id));
}

function named(rows: readonly { id: number; title: string }[]): Use[] {
  return rows.map(({ id, title }) => ({ kind: 'campaign', id: encodeId('campaign', id), title }));
}
