// Handles replies to attempts that already have a result: either their process was presumed dead and
// its handoffs were settled as unknown, or a write was repeated. A late reply replaces `unknown`.
import type { Tx } from '#platform/server/database/database.ts';
import type { ActiveMessage } from '../sender/active-message.ts';
import {
  type AttemptResult,
  columnsOf,
  countResults,
  deferredChanges,
  resultKey,
  laneChangesOf,
} from './result-rows.ts';
import { addCounts } from './messages.sql.ts';
import * as results from './results.sql.ts';

/**
 * Corrects unknown results by late replies. Returns the results to publish: these replies, and
 * those that this write added. The caller has locked the message's row.
 */
export async function correctKnown(
  tx: Tx,
  message: ActiveMessage,
  list: readonly AttemptResult[],
  relayName: string,
  at: Date,
): Promise<AttemptResult[]> {
  const { accountId, id } = message;
  const rows = await results.findResults(tx, accountId, id, columnsOf(list, relayName));
  const rowOf = new Map(rows.map((row) => [placeOf(row), row]));
  const added: AttemptResult[] = [];
  const late: AttemptResult[] = [];
  for (const answered of list) {
    const row = rowOf.get(resultKey(answered));
    if (row?.state === answered.verdict.state && row.at.getTime() === at.getTime())
      added.push(answered);
    else if (row?.state === 'unknown' && answered.verdict.state !== 'unknown') late.push(answered);
  }
  const counted = [...added, ...(await correctLate(tx, message, late, relayName, at))];
  const { skipped, unknown } = countResults(counted);
  await addCounts(tx, accountId, id, { skipped, unknown, lanes: laneChangesOf(counted) });
  return counted;
}

/**
 * Stores the late replies and returns those that settle their recipients. If the owner has chosen to
 * retry a recipient and the retry has not started, its deferral is deleted; after it has started,
 * the newer attempt counts instead of the reply.
 */
async function correctLate(
  tx: Tx,
  { accountId, id }: ActiveMessage,
  late: readonly AttemptResult[],
  relayName: string,
  at: Date,
): Promise<AttemptResult[]> {
  if (late.length === 0) return [];
  const columns = columnsOf(late, relayName);
  const newer = await results.findNewer(tx, accountId, id, columns);
  const newerOf = new Map(newer.map((row) => [placeOf(row), row]));
  await results.correctUnknown(tx, accountId, id, columns, at);
  const counted = late.filter((answered) => !newerOf.get(resultKey(answered))?.is_begun);
  const waiting = counted.flatMap((answered) => newerOf.get(resultKey(answered)) ?? []);
  await results.deleteDeferrals(tx, accountId, id, waiting);
  const unknown = waiting.length - counted.length;
  const lanes = deferredChanges(
    waiting.map(({ lane }) => lane),
    -1,
  );
  await addCounts(tx, accountId, id, { unknown, lanes });
  return counted.map((answered) => ({ ...answered, wasSettled: true }));
}

const placeOf = (row: { lane: number; ordinal: number; attempt: number }) =>
  `${row.lane}/${row.ordinal}/${row.attempt}`;
