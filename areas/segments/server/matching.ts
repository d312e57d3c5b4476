// Evaluates conditions for subscribers with given IDs, as workflows do at each step.
import type { Reader } from '#platform/server/database/database.ts';
import type { Condition } from '../shared.ts';
import { compileConditions } from './compile.ts';
import { gatherContext } from './context.ts';
import { findMatching } from './segments.sql.ts';

/**
 * Returns the given ids that are existing subscribers of the account and match the conditions as
 * of `now`. Returns none if a condition refers to an object that does not exist, such as a deleted
 * group, or has an unknown type. The query starts from the ids, so it never reads other
 * subscribers.
 */
export async function filterMatching(
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
