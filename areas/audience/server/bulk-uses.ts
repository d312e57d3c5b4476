// Finds unfinished bulk actions that depend on a group, a field or an event.
import { readConditions } from '#areas/segments/filter-grammar.ts';
import type { Condition } from '#areas/segments/shared.ts';
import { namesEvent, namesField, namesGroup } from '#areas/segments/server/index.ts';
import type { Language } from '#platform/languages.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { findJobPayloads } from '#platform/server/jobs/jobs.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { bulkActJob, getJobKeyPrefix } from './bulk.ts';

type ResourceUse = { kind: string; id: string; title: string };

/**
 * Handles the `group.usedBy` query: bulk actions that select by the group, add to it or remove from
 * it.
 */
export async function listBulkActionsUsingGroup(
  tx: Tx,
  { accountId, groupId, language }: { accountId: number; groupId: number; language: Language },
): Promise<ResourceUse[]> {
  return listActions(tx, accountId, language, namesGroup(groupId), { groupId });
}

/** Handles the `field.usedBy` query: bulk actions that select by the field or set it. */
export async function listBulkActionsUsingField(
  tx: Tx,
  { accountId, fieldId, language }: { accountId: number; fieldId: number; language: Language },
): Promise<ResourceUse[]> {
  return listActions(tx, accountId, language, namesField(fieldId), { fieldId });
}

/** Handles the `custom_event.usedBy` query: bulk actions that select by the event. */
export async function listBulkActionsUsingEvent(
  tx: Tx,
  { accountId, eventId, language }: { accountId: number; eventId: number; language: Language },
): Promise<ResourceUse[]> {
  return listActions(tx, accountId, language, namesEvent(eventId));
}

async function listActions(
  tx: Tx,
  accountId: number,
  language: Language,
  isUsing: (condition: Condition) => boolean,
  target: { groupId?: number; fieldId?: number } = {},
): Promise<ResourceUse[]> {
  const waiting = await findJobPayloads(tx, bulkActJob, getJobKeyPrefix(accountId));
  const isUsed = waiting.some(
    ({ conditions, act }) =>
      readConditions(conditions).conditions.some(isUsing) ||
      ('groupId' in act && act.groupId === target.groupId) ||
      ('fieldId' in act && act.fieldId === target.fieldId),
  );
  if (!isUsed) return [];
  const title = serverTexts('audience', language)('act_under_way');
  return [{ kind: 'bulk_act', id: '', title }];
}
