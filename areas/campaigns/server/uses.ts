// References of campaigns to groups, segments, fields, images, sender domains and addresses:
// answers the questions of lower areas about them, and removes deleted groups and segments from
// recipients.
import {
  listBroadcastsReading,
  deleteChosen,
  listMessagesOfBroadcasts,
  unscheduleRemoved,
  withMessages,
} from '#areas/broadcasts/server/index.ts';
import {
  listContentsNaming,
  listContentsWithAddress,
  lineNames,
  type NamedResource,
} from '#areas/content/server/index.ts';
import { needsProof } from '#areas/delivery/server/sender/index.ts';
import { parseSenderDomain } from '#areas/domains/server/index.ts';
import { namesAddress } from '#platform/server/erasure/addresses.ts';
import { encodeId } from '#platform/ids.ts';
import type { Right } from '#platform/rights.ts';
import type { Tx } from '#platform/server/database/database.ts';
import * as store from './campaigns.sql.ts';

/** Maximum number of names in an error. */
const MAX_NAMED = 20;

type ResourceUse = { kind: string; id: string; title: string };

/**
 * Answers `group.usedBy`: campaigns whose audience is not written yet, and completely or partly
 * unsent ones with a section for the group.
 */
export async function findCampaignsUsingGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<ResourceUse[]> {
  const reading = await listBroadcastsReading(tx, store.TABLES, 'groups', accountId, groupId);
  return listUses(tx, accountId, reading, { group: groupId });
}

/**
 * Answers `segment.usedBy`: campaigns whose audience is not written yet, and completely or partly
 * unsent ones with a section for the segment.
 */
export async function findCampaignsUsingSegment(
  tx: Tx,
  { accountId, segmentId }: { accountId: number; segmentId: number },
): Promise<ResourceUse[]> {
  const reading = await listBroadcastsReading(tx, store.TABLES, 'segments', accountId, segmentId);
  return listUses(tx, accountId, reading, { segment: segmentId });
}

/**
 * Answers `segment.inForce`: campaigns whose audience is not written yet, and scheduled, partly
 * sent and recurring ones with a section for the segment.
 */
export async function findCampaignsSentBySegment(
  tx: Tx,
  { accountId, segmentId }: { accountId: number; segmentId: number },
): Promise<(ResourceUse & { right: Right })[]> {
  const reading = await listBroadcastsReading(tx, store.TABLES, 'segments', accountId, segmentId);
  const showing = await findCampaignsNaming(tx, accountId, { segment: segmentId }, true);
  const inForce = showing.filter((row) => row.status !== 'DRAFT' || row.is_repeating);
  const onlyShowing = inForce.filter(({ id }) => !reading.some((row) => row.id === id));
  return presentUses([...reading, ...onlyShowing]).map((use) => ({ ...use, right: 'send' }));
}

async function listUses(
  tx: Tx,
  accountId: number,
  reading: readonly { id: number; title: string }[],
  resource: NamedResource,
): Promise<ResourceUse[]> {
  const showing = await findCampaignsNaming(tx, accountId, resource, true);
  const onlyShowing = showing.filter(({ id }) => !reading.some((row) => row.id === id));
  return presentUses([...reading, ...onlyShowing]);
}

/** Answers `field.usedBy` with completely or partly unsent campaigns that use the field. */
export async function findCampaignsUsingField(
  tx: Tx,
  { accountId, name }: { accountId: number; name: string },
): Promise<ResourceUse[]> {
  return presentUses(await findCampaignsNaming(tx, accountId, { field: name }, true));
}

/**
 * Answers `image.usedBy` with unsent campaigns that use the image. Sent campaigns are included in
 * the answer to `images.sent`.
 */
export async function findCampaignsUsingImage(
  tx: Tx,
  { accountId, fileKey }: { accountId: number; fileKey: string },
): Promise<ResourceUse[]> {
  return presentUses(await findCampaignsNaming(tx, accountId, { image: fileKey }, false));
}

/**
 * Finds unsent campaigns that use the resource. `isPartEnough` adds partly sent campaigns, and
 * campaigns whose resend uses it.
 */
async function findCampaignsNaming(
  tx: Tx,
  accountId: number,
  resource: NamedResource,
  isPartEnough: boolean,
): Promise<store.UnsentCampaign[]> {
  const rows = await store.listUnsentCampaigns(tx, accountId, isPartEnough);
  const contentIds = rows.flatMap((row) => row.content_ids);
  const contents = await listContentsNaming(tx, accountId, resource, contentIds);
  const isNamed = (row: store.UnsentCampaign) =>
    row.content_ids.some((id) => contents.has(id)) ||
    ('field' in resource && lineNames(row.lines, resource.field));
  return rows.filter(isNamed);
}

/** Answers `domain.usedBy` with campaigns from the domain that are scheduled or being sent. */
export async function findCampaignsFromDomain(
  tx: Tx,
  { accountId, domain }: { accountId: number; domain: string },
): Promise<ResourceUse[]> {
  if (!needsProof()) return [];
  const rows = await store.listCampaignsToSend(tx, accountId);
  return presentUses(rows.filter((row) => parseSenderDomain(row.from_email) === domain));
}

/**
 * Removes the group from the recipients of all campaigns; the checks of drafts then report missing
 * recipients. Deleted campaigns that depend on the group lose their schedule, because restoring
 * them would send them to a different audience.
 */
export async function removeGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<void> {
  await removeChosen(tx, accountId, 'groups', groupId, { group: groupId });
}

/**
 * Removes the segment from the recipients of all campaigns; the checks of drafts then report
 * missing recipients. Deleted campaigns that depend on the segment lose their schedule, because
 * restoring them would send them to a different audience.
 */
export async function removeSegment(
  tx: Tx,
  { accountId, segmentId }: { accountId: number; segmentId: number },
): Promise<void> {
  await removeChosen(tx, accountId, 'segments', segmentId, { segment: segmentId });
}

async function removeChosen(
  tx: Tx,
  accountId: number,
  kind: 'groups' | 'segments',
  id: number,
  resource: NamedResource,
): Promise<void> {
  const removedContents = await store.listContentsOfRemovedScheduled(tx, accountId);
  const contents = await listContentsNaming(tx, accountId, resource, removedContents);
  await unscheduleRemoved(tx, store.TABLES, kind, accountId, id, [...contents]);
  await deleteChosen(tx, store.TABLES, kind, accountId, id);
}

/** Answers `segment.campaigns`; deleted campaigns are included. */
export async function findSegmentCampaigns(
  tx: Tx,
  { accountId, campaignIds }: { accountId: number; campaignIds: readonly number[] },
): Promise<{ id: number; title: string; messageIds: number[] }[]> {
  const rows = await listMessagesOfBroadcasts(tx, store.TABLES, accountId, campaignIds);
  return withMessages(tx, accountId, rows);
}

function presentUses(rows: readonly { id: number; title: string }[]): ResourceUse[] {
  return rows
    .slice(0, MAX_NAMED)
    .map(({ id, title }) => ({ kind: 'campaign', id: encodeId('campaign', id), title }));
}

/** Maximum number of campaigns that are searched for an address, newest first. */
const MAX_SEARCHED = 500;

/**
 * Answers `addresses.contents_naming` with some of the newest campaigns that contain one of
 * the addresses.
 */
export async function findCampaignsWithAddress(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<ResourceUse[]> {
  const rows = await store.listNewestCampaigns(tx, accountId, MAX_SEARCHED);
  const ids = rows.flatMap((row) => row.content_ids);
  const contents = await listContentsWithAddress(tx, accountId, addresses, ids);
  const isNamed = (row: store.WrittenCampaign) =>
    row.content_ids.some((id) => contents.has(id)) || namesAddress(row.lines, addresses);
  return presentUses(rows.filter(isNamed));
}
