// Recipients of a broadcast: included and excluded groups and segments, and the number of
// subscribers.
import { EXCLUSIONS } from '#areas/delivery/shared.ts';
import { getMessageKindFacts } from '#areas/delivery/message-kinds.ts';
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
  broadcastRow,
  changedTo,
  checkRevision,
  lockedBroadcast,
  requireChangeable,
} from './broadcasts.ts';
import { updateRow } from './broadcasts.sql.ts';
import type { BroadcastAdapter, BroadcastRow } from './adapter.ts';
import { type ChosenRow, readChosen, replaceChosen } from './recipients.sql.ts';
import { messagesBefore } from './series.ts';

type AnyAdapter<Row extends BroadcastRow> = BroadcastAdapter<Row>;
type ChoiceOf = { id: number; isExcluded: boolean };

/** Returns a group or segment in the form of the contract. */
export const presentChosen = (kind: 'group' | 'segment', { id, title }: ChosenRow) => ({
  id: encodeId(kind, id),
  title,
});

/** Returns a function that gives the selected groups and segments of a broadcast by its id. */
export async function readRecipientChoices<Row extends BroadcastRow>(
  db: Reader,
  adapter: Pick<AnyAdapter<Row>, 'tables'>,
  accountId: number,
  ids: readonly number[],
) {
  const groups = await readChosen(db, adapter.tables, 'groups', accountId, ids);
  const segments = await readChosen(db, adapter.tables, 'segments', accountId, ids);
  const shown = (kind: 'group' | 'segment', rows: ChosenRow[], id: number, isExcluded: boolean) =>
    rows
      .filter((row) => row.campaign_id === id && row.is_excluded === isExcluded)
      .map((row) => presentChosen(kind, row));
  return (id: number) => ({
    tags: shown('group', groups, id, false),
    exclude_tags: shown('group', groups, id, true),
    filters: shown('segment', segments, id, false),
    exclude_filters: shown('segment', segments, id, true),
  });
}

export async function readGroups<Row extends BroadcastRow>(
  db: Reader,
  adapter: AnyAdapter<Row>,
  accountId: number,
  { id, isExcluded }: ChoiceOf,
) {
  await broadcastRow<Row>(db, adapter, accountId, id);
  const choices = await readRecipientChoices(db, adapter, accountId, [id]);
  return isExcluded ? choices(id).exclude_tags : choices(id).tags;
}

export async function readSegments<Row extends BroadcastRow>(
  db: Reader,
  adapter: AnyAdapter<Row>,
  accountId: number,
  { id, isExcluded }: ChoiceOf,
) {
  await broadcastRow<Row>(db, adapter, accountId, id);
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
  const row = await lockedBroadcast<Row>(tx, adapter, accountId, id);
  await requireChangeable(tx, adapter, row);
  if (!isExcluded && (await adapter.fixedAudience?.(tx, row)) !== undefined) {
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
  const requested = [...new Set(groupIds)];
  const to = { accountId, ...choice };
  if ((await replaceChosen(tx, adapter.tables, 'groups', to, requested)) !== requested.length) {
    throw invalid({ tags_arr: ['errors.unknown_id'] });
  }
  const { all, settled, open } = adapter.steps;
  const toAll = isExcluded ? row.send_to_all : (sendToAll ?? false);
  const hasChosen = toAll || (isExcluded ? row.last_action === settled : requested.length > 0);
  await updateRow(tx, adapter, accountId, id, {
    send_to_all: toAll,
    ...changedTo(row, all, hasChosen ? settled : open),
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
  const requested = [...new Set(segmentIds)];
  const to = { accountId, ...choice };
  if ((await replaceChosen(tx, adapter.tables, 'segments', to, requested)) !== requested.length) {
    throw invalid({ filters_arr: ['errors.unknown_id'] });
  }
  const { all, settled, open } = adapter.steps;
  const isChoice = !isExcluded && requested.length > 0;
  await updateRow(tx, adapter, accountId, id, {
    ...(isChoice ? { send_to_all: false } : {}),
    ...changedTo(row, all, isChoice || row.last_action === settled ? settled : open),
  });
  return readSegments(tx, adapter, accountId, choice);
}

export async function countRecipients<Row extends BroadcastRow>(
  db: Reader,
  adapter: AnyAdapter<Row>,
  accountId: number,
  id: number,
): Promise<Recipients> {
  const row = await broadcastRow<Row>(db, adapter, accountId, id);
  const counts = await countAudience(
    db,
    accountId,
    await resolveAudience(db, adapter, row),
    getMessageKindFacts(adapter.messageKind).channel,
  );
  const excluded = EXCLUSIONS.map((reason) => ({ reason, count: counts.excluded[reason] ?? 0 }));
  return {
    count: counts.count,
    total: counts.total,
    excluded: excluded.filter((exclusion) => exclusion.count > 0),
  };
}

const idsOf = (rows: readonly ChosenRow[], isExcluded: boolean) =>
  rows.filter((row) => row.is_excluded === isExcluded).map((row) => row.id);

/**
 * Finds segments of a broadcast that refer to deleted objects and therefore select no subscribers.
 * For a resend only excluded segments count.
 */
export async function findBrokenSegments<Row extends BroadcastRow>(
  db: Reader,
  adapter: Pick<AnyAdapter<Row>, 'tables' | 'fixedAudience'>,
  row: Row,
): Promise<{ id: number; title: string }[]> {
  const { account_id: accountId, id } = row;
  const chosen = await readChosen(db, adapter.tables, 'segments', accountId, [id]);
  const isFixed = (await adapter.fixedAudience?.(db, row)) !== undefined;
  const read = chosen.filter((segment) => segment.is_excluded || !isFixed);
  return filterBrokenSegments(
    db,
    accountId,
    read.map((segment) => segment.id),
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
  const chosen = await readChosen(tx, tables, 'segments', accountId, [id]);
  await shareSegments(
    tx,
    accountId,
    chosen.map((segment) => segment.id),
  );
}

/**
 * Returns the audience with the current conditions of its segments, so that a later change does not
 * affect it.
 */
export async function resolveAudience<Row extends BroadcastRow>(
  db: Reader,
  adapter: Pick<AnyAdapter<Row>, 'tables' | 'fixedAudience'>,
  row: Row,
): Promise<Audience> {
  const { account_id: accountId, id } = row;
  const groups = await readChosen(db, adapter.tables, 'groups', accountId, [id]);
  const chosen = await readChosen(db, adapter.tables, 'segments', accountId, [id]);
  const conditions = (isExcluded: boolean) =>
    readSegmentConditions(db, accountId, idsOf(chosen, isExcluded));
  const exclusions = { excluded: idsOf(groups, true), excludedSegments: await conditions(true) };
  const fixed = await adapter.fixedAudience?.(db, row);
  if (fixed) return { all: false, groups: [], ...fixed, ...exclusions };
  const before = await messagesBefore(db, adapter, row);
  return {
    all: row.send_to_all,
    groups: row.send_to_all ? [] : idsOf(groups, false),
    segments: row.send_to_all ? [] : await conditions(false),
    ...exclusions,
    ...(before ? { withoutRecipientsOf: before } : {}),
  };
}
