// What acts on many people that are still under way need: the groups and fields they choose people by.
import { readAccount } from '#areas/accounts/server/index.ts';
import { readConditions } from '#areas/segments/filter-grammar.ts';
import type { Condition } from '#areas/segments/limits.ts';
import { namesField, namesGroup } from '#areas/segments/server/index.ts';
import { isLanguage } from '#platform/languages.ts';
import type { Tx } from '#platform/server/database.ts';
import { payloadsOf } from '#platform/server/jobs.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { bulkActJob, keyOf } from './bulk.ts';

type Use = { kind: string; id: string; title: string };

/** Answers `group.usedBy`: acts that choose people by the group, or put them into it or out of it. */
export async function bulkActsUsingGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<Use[]> {
  return acts(tx, accountId, namesGroup(groupId), groupId);
}

/** Answers `field.usedBy`: acts that choose people by the field. */
export async function bulkActsUsingField(
  tx: Tx,
  { accountId, fieldId }: { accountId: number; fieldId: number },
): Promise<Use[]> {
  return acts(tx, accountId, namesField(fieldId));
}

async function acts(
  tx: Tx,
  accountId: number,
  isUsing: (condition: Condition) => boolean,
  groupId?: number,
): Promise<Use[]> {
  const waiting = await payloadsOf(tx, bulkActJob, keyOf(accountId));
  const isUsed = waiting.some(
    ({ conditions, act }) =>
      readConditions(conditions).conditions.some(isUsing) ||
      ('groupId' in act && act.groupId === groupId),
  );
  if (!isUsed) return [];
  const { language } = await readAccount(tx, accountId);
  const title = serverTexts('audience', isLanguage(language) ? language : 'eng')('act_under_way');
  return [{ kind: 'bulk_act', id: '', title }];
}
