// Who a campaign goes to: groups and segments in and out, and how many people that are.
import { EXCLUSIONS } from '#areas/delivery/limits.ts';
import { type Audience, countAudience } from '#areas/delivery/server/index.ts';
import { brokenSegments, segmentConditions } from '#areas/segments/server/index.ts';
import type { Reader, Tx } from '#platform/server/database.ts';
import { clock } from '#platform/server/clock.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import type { Recipients } from '../contract.ts';
import { RESEND_HOURS_LEAST } from '../limits.ts';
import { campaignRow, changed, checkRevision, lockedRow, requireDraft } from './campaigns.ts';
import * as store from './campaigns.sql.ts';
import { presentGroup, presentSegment } from './present.ts';
import { readResends } from './resends.sql.ts';
import * as segments from './segments.sql.ts';

const HOUR_MS = 3_600_000;

export async function readGroups(db: Reader, accountId: number, id: number, isExcluded: boolean) {
  await campaignRow(db, accountId, id);
  const groups = await store.readGroups(db, accountId, [id]);
  return groups.filter((group) => group.is_excluded === isExcluded).map(presentGroup);
}

/** Whom a resend goes to says its first: only who is to get none can be chosen. */
function requireChoice(row: store.CampaignRow, isExcluded: boolean): void {
  requireDraft(row);
  if (row.resend_of !== null && !isExcluded) throw new AppError('resend_recipients');
}

/** Chooses groups in or out; a group that the account lacks is a 422. */
export async function setGroups(
  tx: Tx,
  accountId: number,
  id: number,
  groupIds: readonly number[],
  isExcluded: boolean,
  { sendToAll, revision }: { sendToAll?: boolean | undefined; revision?: number | undefined } = {},
) {
  const row = await lockedRow(tx, accountId, id);
  requireChoice(row, isExcluded);
  if (revision !== undefined) checkRevision(row, revision);
  const wanted = [...new Set(groupIds)];
  await store.clearGroups(tx, accountId, id, isExcluded);
  const added = await store.addGroups(tx, accountId, id, wanted, isExcluded);
  if (added !== wanted.length) throw invalid({ tags_arr: ['errors.unknown_id'] });
  const toAll = isExcluded ? row.send_to_all : (sendToAll ?? false);
  const hasChosen = toAll || (isExcluded ? row.last_action === 'step4' : wanted.length > 0);
  await store.updateCampaign(tx, accountId, id, {
    send_to_all: toAll,
    ...changed(row, hasChosen ? 'step4' : 'step1'),
  });
  return readGroups(tx, accountId, id, isExcluded);
}

export async function readSegments(db: Reader, accountId: number, id: number, isExcluded: boolean) {
  await campaignRow(db, accountId, id);
  const rows = await segments.readSegments(db, accountId, [id]);
  return rows.filter((row) => row.is_excluded === isExcluded).map(presentSegment);
}

/** Chooses segments in or out; one that the account lacks is a 422. */
export async function setSegments(
  tx: Tx,
  accountId: number,
  id: number,
  segmentIds: readonly number[],
  isExcluded: boolean,
  revision?: number,
) {
  const row = await lockedRow(tx, accountId, id);
  requireChoice(row, isExcluded);
  if (revision !== undefined) checkRevision(row, revision);
  const wanted = [...new Set(segmentIds)];
  const added = await segments.replaceSegments(tx, accountId, id, wanted, isExcluded);
  if (added !== wanted.length) throw invalid({ filters_arr: ['errors.unknown_id'] });
  const isChoice = !isExcluded && wanted.length > 0;
  await store.updateCampaign(tx, accountId, id, {
    ...(isChoice ? { send_to_all: false } : {}),
    ...changed(row, isChoice || row.last_action === 'step4' ? 'step4' : 'step1'),
  });
  return readSegments(tx, accountId, id, isExcluded);
}

export async function countRecipients(
  db: Reader,
  accountId: number,
  id: number,
): Promise<Recipients> {
  const row = await campaignRow(db, accountId, id);
  const counts = await countAudience(db, accountId, await audienceOf(db, row));
  const excluded = EXCLUSIONS.map((reason) => ({ reason, count: counts.excluded[reason] ?? 0 }));
  return {
    count: counts.count,
    total: counts.total,
    excluded: excluded.filter((one) => one.count > 0),
  };
}

/** Its segments that name what is gone: nobody can be chosen by them. A resend has them out, but not in. */
export async function brokenSegmentsOf(
  db: Reader,
  row: store.CampaignRow,
): Promise<{ id: number; title: string }[]> {
  const chosen = await segments.readSegments(db, row.account_id, [row.id]);
  const read = chosen.filter((segment) => segment.is_excluded || row.resend_of === null);
  const ids = read.map((segment) => segment.id);
  return brokenSegments(db, row.account_id, ids);
}

/**
 * Segments go along as the conditions that they are now: what is changed later changes no sending. A second
 * try goes to whoever has had the first for its hours and opened nothing, also as a draft again; past those
 * that are excluded.
 */
export async function audienceOf(db: Reader, row: store.CampaignRow): Promise<Audience> {
  const groups = await store.readGroups(db, row.account_id, [row.id]);
  const chosen = await segments.readSegments(db, row.account_id, [row.id]);
  const idsOf = (rows: readonly { id: number; is_excluded: boolean }[], isExcluded: boolean) =>
    rows.filter((one) => one.is_excluded === isExcluded).map((one) => one.id);
  const conditions = (isExcluded: boolean) =>
    segmentConditions(db, row.account_id, idsOf(chosen, isExcluded));
  const past = { excluded: idsOf(groups, true), excludedSegments: await conditions(true) };
  if (row.resend_of !== null) {
    const unopened = await unopenedOf(db, row.account_id, row.resend_of);
    return { all: false, groups: [], ...unopened, ...past };
  }
  return {
    all: row.send_to_all,
    groups: row.send_to_all ? [] : idsOf(groups, false),
    segments: row.send_to_all ? [] : await conditions(false),
    ...past,
  };
}

async function unopenedOf(db: Reader, accountId: number, firstId: number) {
  const [first] = await segments.messagesOfCampaigns(db, accountId, [firstId]);
  const [resend] = await readResends(db, accountId, [firstId]);
  const hours = resend?.delay_hours ?? RESEND_HOURS_LEAST;
  return {
    // A message that is not there was opened by nobody, and got by nobody.
    unopened: first?.messageId ?? 0,
    acceptedBy: new Date(clock.now().getTime() - hours * HOUR_MS).toISOString(),
  };
}
