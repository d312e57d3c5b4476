// Recipients of a broadcast: included and excluded groups and segments, and the number of
// subscribers.
import { EXCLUSIONS } from '#areas/delivery/shared.ts';
import { getMessageKindRules } from '#areas/delivery/message-kinds.ts';
import { type Audience, countAudience } from '#areas/delivery/server/ledger/index.ts';
import {
  filterBrokenSegments,
  readSegmentConditions,
  shareSegments,
} from '#areas/segments/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import type { Recipients } from '../recipients-contract.ts';
import {
  getBroadcastRow,
  toStepChange,
  checkRevision,
  lockBroadcast,
  requireEditable,
} from './broadcasts.ts';
import { updateRow } from './broadcasts.sql.ts';
import type { BroadcastAdapter, BroadcastRow } from './adapter.ts';
import { type RecipientChoiceRow, readChosen, replaceChosen } from './recipients.sql.ts';
import { listMessagesBefore } from './series.ts';

type AnyAdapter<Row extends BroadcastRow> = BroadcastAdapter<Row>;
type ChoiceOf = { id: number; isExcluded: boolean };

/** Returns a group or segment in the format of the contract. */
export const presentChosen = (kind: 'group' | 'segment', { id, title }: RecipientChoiceRow) => ({
  id: encodeId(kind, id),
  title,
});

/** Returns a function that returns the selected groups and segments of a broadcast by its id. */
export async function readRecipientChoices<Row extends BroadcastRow>(
  db: Reader,
  adapter: Pick<AnyAdapter<Row>, 'tables'>,
  accountId: number,
  ids: readonly number[],
) {
  const groups = await readChosen(db, adapter.tables, 'groups', accountId, ids);
  const segments = await readChosen(db, adapter.tables, 'segments', accountId, ids);
  const presentChoices = (
    kind: 'group' | 'segment',
    rows: RecipientChoiceRow[],
    id: number,
    isExcluded: boolean,
  ) =>
    rows
      .filter((row) => row.campaign_id === id && row.is_excluded === isExcluded)
      .map((row) => presentChosen(kind, row));
  return (id: number) => ({
    tags: presentChoices('group', groups, id, false),
    exclude_tags: presentChoices('group', groups, id, true),
    filters: presentChoices('segment', segments, id, false),
    exclude_filters: presentChoices('segment', segments, id, true),
  });
}

export async function readGroups<Row extends BroadcastRow>(
  db: Reader,
  adapter: AnyAdapter<Row>,
  accountId: number,
  { id, isExcluded }: ChoiceOf,
) {
  await getBroadcastRow<Row>(db, adapter, accountId, id);
  const choices = await readRecipientChoices(db, adapter, accountId, [id]);
  return isExcluded ? choices(id).exclude_tags : choices(id).tags;
}

export async function readSegments<Row extends BroadcastRow>(
  db: Reader,
  adapter: AnyAdapter<Row>,
  accountId: number,
  { id, isExcluded }: ChoiceOf,
) {
  await getBroadcastRow<Row>(db, adapter, accountId, id);
  const choices = await readRecipientChoices(db, adapter, accountId, [id]);
  return isExcluded ? choices(id).exclude_filters : choices(id).filters;
}

/**
 * Locks a broadcast for a change of its recipients and checks the revision. For a resend, whose
 * recipients are determined by the original campaign, only exclusions can be changed.
 */
async function lockForChoice<Row extends BroadcastRow>(
  tx: Tx,
  adapter: AnyAdapter<Row>,
  accountId: number,
  { id, isExcluded }: ChoiceOf,
  revision: number | undefined,
): Promise<Row> {
  const row = await lockBroadcast<Row>(tx, adapter, accountId, id);
  await requireEditable(tx, adapter, row);
  if (!isExcluded && (await adapter.findFixedAudience?.(tx, row)) !== undefined) {
    throw new AppError('resend_recipients');
  }
  if (revision !== undefined) checkRevision(row, revision);
  return row;
}

/** Sets the included or excluded groups; an unknown group is a 422. */
export async function setGroups<Row extends BroadcastRow>(
  tx: Tx,
  adapter: AnyAdapter<Row>,
  accountId: number,
  choice: ChoiceOf,
  groupIds: readonly number[],
  { sendToAll, revision }: { sendToAll?: boolean | undefined; revision?: number | undefined } = {},
) {
  const { id, isExcluded } = choice;
  const row = await lockForChoice(tx, adapter, accountId, choice, revision);
  const requestedIds = [...new Set(groupIds)];
  const target = { accountId, ...choice };
  if (
    (await replaceChosen(tx, adapter.tables, 'groups', target, requestedIds)) !==
    requestedIds.length
  ) {
    throw invalid({ tags_arr: ['errors.unknown_id'] });
  }
  const { all, withRecipients, withoutRecipients } = adapter.steps;
  const toAll = isExcluded ? row.send_to_all : (sendToAll ?? false);
  const hasChosen =
    toAll || (isExcluded ? row.last_action === withRecipients : requestedIds.length > 0);
  await updateRow(tx, adapter, accountId, id, {
    send_to_all: toAll,
    ...toStepChange(row, all, hasChosen ? withRecipients : withoutRecipients),
  });
  return readGroups(tx, adapter, accountId, choice);
}

/** Sets the included or excluded segments; an unknown one is a 422. */
export async function setSegments<Row extends BroadcastRow>(
  tx: Tx,
  adapter: AnyAdapter<Row>,
  accountId: number,
  choice: ChoiceOf,
  segmentIds: readonly number[],
  revision?: number,
) {
  const { id, isExcluded } = choice;
  const row = await lockForChoice(tx, adapter, accountId, choice, revision);
  const requestedIds = [...new Set(segmentIds)];
  const target = { accountId, ...choice };
  if (
    (await replaceChosen(tx, adapter.tables, 'segments', target, requestedIds)) !==
    requestedIds.length
  ) {
    throw invalid({ filters_arr: ['errors.unknown_id'] });
  }
  const { all, withRecipients, withoutRecipients } = adapter.steps;
  const isChoice = !isExcluded && requestedIds.length > 0;
  await updateRow(tx, adapter, accountId, id, {
    ...(isChoice ? { send_to_all: false } : {}),
    ...toStepChange(
      row,
      all,
      isChoice || row.last_action === withRecipients ? withRecipients : withoutRecipients,
    ),
  });
  return readSegments(tx, adapter, accountId, choice);
}

export async function countRecipients<Row extends BroadcastRow>(
  db: Reader,
  adapter: AnyAdapter<Row>,
  accountId: number,
  id: number,
): Promise<Recipients> {
  const row = await getBroadcastRow<Row>(db, adapter, accountId, id);
  const counts = await countAudience(
    db,
    accountId,
    await resolveAudience(db, adapter, row),
    getMessageKindRules(adapter.messageKind).channel,
  );
  const exclusions = EXCLUSIONS.map((reason) => ({ reason, count: counts.excluded[reason] ?? 0 }));
  return {
    count: counts.count,
    total: counts.total,
    excluded: exclusions.filter((exclusion) => exclusion.count > 0),
  };
}

const listIds = (rows: readonly RecipientChoiceRow[], isExcluded: boolean) =>
  rows.filter((row) => row.is_excluded === isExcluded).map((row) => row.id);

/**
 * Finds segments of a broadcast that refer to deleted objects and therefore select no subscribers.
 * For a resend only excluded segments count.
 */
export async function findBrokenSegments<Row extends BroadcastRow>(
  db: Reader,
  adapter: Pick<AnyAdapter<Row>, 'tables' | 'findFixedAudience'>,
  row: Row,
): Promise<{ id: number; title: string }[]> {
  const { account_id: accountId, id } = row;
  const segments = await readChosen(db, adapter.tables, 'segments', accountId, [id]);
  const isFixed = (await adapter.findFixedAudience?.(db, row)) !== undefined;
  const segmentsToRead = segments.filter((segment) => segment.is_excluded || !isFixed);
  return filterBrokenSegments(
    db,
    accountId,
    segmentsToRead.map((segment) => segment.id),
  );
}

/**
 * Locks the conditions of the broadcast's segments until the transaction ends. The caller has
 * locked the row.
 */
export async function lockConditions<Row extends BroadcastRow>(
  tx: Tx,
  { tables }: Pick<AnyAdapter<Row>, 'tables'>,
  accountId: number,
  id: number,
): Promise<void> {
  const segments = await readChosen(tx, tables, 'segments', accountId, [id]);
  await shareSegments(
    tx,
    accountId,
    segments.map((segment) => segment.id),
  );
}

/**
 * Returns the audience with the current conditions of its segments so that a later change does not
 * affect it.
 */
export async function resolveAudience<Row extends BroadcastRow>(
  db: Reader,
  adapter: Pick<AnyAdapter<Row>, 'tables' | 'findFixedAudience'>,
  row: Row,
): Promise<Audience> {
  const { account_id: accountId, id } = row;
  const groups = await readChosen(db, adapter.tables, 'groups', accountId, [id]);
  const segments = await readChosen(db, adapter.tables, 'segments', accountId, [id]);
  const readConditions = (isExcluded: boolean) =>
    readSegmentConditions(db, accountId, listIds(segments, isExcluded));
  const exclusions = {
    excluded: listIds(groups, true),
    excludedSegments: await readConditions(true),
  };
  const fixedAudience = await adapter.findFixedAudience?.(db, row);
  if (fixedAudience) return { all: false, groups: [], ...fixedAudience, ...exclusions };
  const earlierMessages = await listMessagesBefore(db, adapter, row);
  return {
    all: row.send_to_all,
    groups: row.send_to_all ? [] : listIds(groups, false),
    segments: row.send_to_all ? [] : await readConditions(false),
    ...exclusions,
    ...(earlierMessages ? { withoutRecipientsOf: earlierMessages } : {}),
  };
}
