// Finds section conditions that refer to deleted groups, segments or fields.
import { readFields } from '#areas/fields/server/index.ts';
import { readGroupTitles } from '#areas/groups/server/index.ts';
import { readSegmentConditions } from '#areas/segments/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { EmailDocument } from '../../document.ts';
import { PERSON_TAGS } from '../../shared.ts';
import { type MessageRule, toMessageCondition } from '../personalization/conditions.ts';
import type { ContentFinding } from '../personalization/message-source.ts';

export async function findMissingConditions(
  db: Reader,
  accountId: number,
  document: EmailDocument,
): Promise<ContentFinding[]> {
  const ruleRefs = document.sections.flatMap(({ id, condition }) =>
    condition === null ? [] : toMessageCondition(condition).rules.map((rule) => ({ id, rule })),
  );
  if (ruleRefs.length === 0) return [];
  const isThere = await createKnownCheck(
    db,
    accountId,
    ruleRefs.map(({ rule }) => rule),
  );
  const missing = ruleRefs.filter(({ rule }) => !isThere(rule)).map(({ id }) => id);
  return [...new Set(missing)].map((node) => ({
    code: 'condition_gone',
    severity: 'error',
    part: 'html',
    node,
  }));
}

async function createKnownCheck(
  db: Reader,
  accountId: number,
  rules: readonly MessageRule[],
): Promise<(rule: MessageRule) => boolean> {
  const listIds = (kind: 'group' | 'segment') => [
    ...new Set(rules.flatMap((rule) => (rule.kind === kind ? [rule.id] : []))),
  ];
  const groups = await readGroupTitles(db, accountId, listIds('group'));
  const segments = new Set<number>();
  for (const id of listIds('segment')) {
    if ((await readSegmentConditions(db, accountId, [id])).length > 0) segments.add(id);
  }
  const fields = new Set<string>(PERSON_TAGS);
  for (const { name } of await readFields(db, accountId)) fields.add(name);
  return (rule) => {
    if (rule.kind === 'field') return fields.has(rule.field);
    return rule.kind === 'group' ? groups.has(rule.id) : segments.has(rule.id);
  };
}
