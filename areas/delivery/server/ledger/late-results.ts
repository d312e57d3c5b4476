// Handles replies to attempts that already have a result: either their process was presumed dead
// and its handoffs were settled as unknown, or a write was repeated. A late reply replaces
// `unknown`.
import type { Tx } from '#platform/server/database/database.ts';
import type { ActiveMessage } from '../sender/active-message.ts';
import {
  type AttemptResult,
  toResultColumns,
  countResults,
  countDeferred,
  resultKey,
  countByLane,
} from './result-rows.ts';
import { addCounts } from './messages.sql.ts';
import * as results from './results.sql.ts';

/**
 * Corrects unknown results by late replies. Returns the results to publish: these replies and the
 * results that this write added. The caller has locked the message's row.
 */
export async function correctExisting(
  tx: Tx,
  message: ActiveMessage,
  list: readonly AttemptResult[],
  relayName: string,
  at: Date,
): Promise<AttemptResult[]> {
  const { accountId, id } = message;
  const rows = await results.findResults(tx, accountId, id, toResultColumns(list, relayName));
  const rowOf = new Map(rows.map((row) => [placeOf(row), row]));
  const newResults: AttemptResult[] = [];
  const lateResults: AttemptResult[] = [];
  for (const result of list) {
    const row = rowOf.get(resultKey(result));
    if (row?.state === result.verdict.state && row.at.getTime() === at.getTime())
      newResults.push(result);
    else if (row?.state === 'unknown' && result.verdict.state !== 'unknown')
      lateResults.push(result);
  }
  const countedResults = [
    ...newResults,
    ...(await correctLate(tx, message, lateResults, relayName, at)),
  ];
  const { skipped, unknown } = countResults(countedResults);
  await addCounts(tx, accountId, id, { skipped, unknown, lanes: countByLane(countedResults) });
  return countedResults;
}

/**
 * Stores the late replies and returns the replies that settle their recipients. If the owner has
 * chosen to retry a recipient and the retry has not started, its deferral is deleted; after it has
 * started, the newer attempt counts instead of the reply.
 */
async function correctLate(
  tx: Tx,
  { accountId, id }: ActiveMessage,
  lateResults: readonly AttemptResult[],
  relayName: string,
  at: Date,
): Promise<AttemptResult[]> {
  if (lateResults.length === 0) return [];
  const columns = toResultColumns(lateResults, relayName);
  const newer = await results.findSupersededAttempts(tx, accountId, id, columns);
  const newerOf = new Map(newer.map((row) => [placeOf(row), row]));
  await results.replaceUnknownResults(tx, accountId, id, columns, at);
  const countedResults = lateResults.filter((result) => !newerOf.get(resultKey(result))?.is_begun);
  const waiting = countedResults.flatMap((result) => newerOf.get(resultKey(result)) ?? []);
  await results.deleteDeferrals(tx, accountId, id, waiting);
  const unknown = waiting.length - countedResults.length;
  const lanes = countDeferred(
    waiting.map(({ lane }) => lane),
    -1,
  );
  await addCounts(tx, accountId, id, { unknown, lanes });
  return countedResults.map((result) => ({ ...result, wasSettled: true }));
}

const placeOf = (row: { lane: number; ordinal: number; attempt: number }) =>
  `${row.lane}/${row.ordinal}/${row.attempt}`;
