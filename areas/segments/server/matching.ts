// Conditions asked about a set of people who are known by their ids, as workflows do at each step.
import type { Reader } from '#platform/server/database.ts';
import type { Condition } from '../limits.ts';
import { compileConditions } from './compile.ts';
import { gatherContext } from './context.ts';
import { findMatching } from './segments.sql.ts';

/**
 * Who of these people matches all conditions as of `now`; nobody where one names what is gone. Living people of the
 * account only. Others are never read: the ids stand at the front, whatever the conditions are.
 */
export async function matching(
  db: Reader,
  accountId: number,
  conditions: readonly Condition[],
  ids: readonly number[],
  now: Date,
): Promise<number[]> {
  if (ids.length === 0) return [];
  const context = await gatherContext(db, accountId, conditions, now);
  const { where, unsupported } = compileConditions(conditions, {
    ...context,
    isUnderestimated: true,
  });
  if (unsupported.length > 0) return [];
  return findMatching(db, accountId, ids, where);
}
