// Runs the autopilot: reads the results of all sending domains at mailbox providers every five minutes,
// and makes or suggests the next move.
import { reportingMailboxes } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { decide, type Decision } from './decide.ts';
import { makeMove } from './move.ts';
import * as store from './pilot.sql.ts';
import { attemptsOf, dayOf, type DaySums, NO_SUMS, type Sums, withReading } from './readings.ts';

const DAY_MS = 86_400_000;
const REPORTING_MS = 180 * DAY_MS;
const MOVES_DAYS = 30;
const MAX_MOVES = 1_000;
/** Fewer emails in two days say nothing about a provider. */
const MIN_ATTEMPTS = 50;
/** Moves that lift an applied limit again, whatever the mode. */
const LIFTING: readonly Decision['move'][] = ['raise', 'resume', 'end'];

type Results = store.Place & { days: Map<string, Sums> };

export function runPilots(db: Db, accountId: number): Promise<void> {
  return inTransaction(db, async (tx) => {
    const now = clock.now();
    const results = await recentResults(tx, accountId, now);
    const pilots = await store.listPilots(tx, accountId);
    for (const row of pilots) {
      const key = keyOf(row);
      const isLimited = row.per_hour !== null && !results.has(key);
      if (isLimited) results.set(key, { ...row, days: new Map() });
    }
    if (results.size === 0) return;
    const reporting = await reportingMailboxes(
      tx,
      accountId,
      new Date(now.getTime() - REPORTING_MS),
    );
    const before = new Date(now.getTime() - MOVES_DAYS * DAY_MS);
    await store.deleteOldMoves(tx, accountId, before);
    const yesterday = new Date(now.getTime() - DAY_MS);
    const moves = await store.movesSince(tx, accountId, yesterday, MAX_MOVES);
    const known = new Set(pilots.map(keyOf));
    for (const { domain, mailbox, days } of results.values()) {
      const place = { domain, mailbox };
      if (!known.has(keyOf(place)) && sumOf(days) < MIN_ATTEMPTS) continue;
      const isReporting = reporting.has(mailbox);
      const own = moves.filter((move) => keyOf(move) === keyOf(place));
      await fly(tx, accountId, place, { days, isReporting, moves: own });
    }
  });
}

const keyOf = ({ domain, mailbox }: store.Place) => `${mailbox} ${domain}`;

const sumOf = (days: DaySums) =>
  [...days.values()].reduce((sum, sums) => sum + attemptsOf(sums), 0);

/** Of today and yesterday. */
async function recentResults(tx: Tx, accountId: number, now: Date): Promise<Map<string, Results>> {
  const results = new Map<string, Results>();
  for (const row of await store.readSums(tx, accountId, dayOf(now.getTime() - DAY_MS))) {
    const { domain, mailbox, day, ...sums } = row;
    const known = results.get(keyOf(row)) ?? { domain, mailbox, days: new Map<string, Sums>() };
    known.days.set(day, { ...NO_SUMS, ...sums });
    results.set(keyOf(row), known);
  }
  return results;
}

async function fly(
  tx: Tx,
  accountId: number,
  place: store.Place,
  facts: { days: DaySums; isReporting: boolean; moves: readonly store.MoveRow[] },
): Promise<void> {
  const row = await store.lockPilot(tx, accountId, place);
  const now = clock.now().getTime();
  const { days, isReporting } = facts;
  const { readings } = row;
  // Another process has made a move since the moves were read.
  const newest = row.moved_at?.getTime() ?? 0;
  const moves = facts.moves
    .map(({ state, at, decided_at: decided }) =>
      (state === 'done' && decided ? decided : at).getTime(),
    )
    .filter((at) => at < newest);
  const state = {
    ...{ perHour: row.per_hour, endsAtPerHour: row.ends_at_per_hour, isPaused: row.is_paused },
    moves: [...moves.toSorted((a, b) => a - b), newest],
    heldUntil: row.held_until?.getTime() ?? null,
  };
  const decision =
    row.mode === 'off' ? undefined : decide(state, { readings, days, isReporting, now });
  await store.updatePilot(tx, accountId, place, { readings: withReading(readings, days, now) });
  if (!decision) return;
  const isDone = row.mode === 'act' || LIFTING.includes(decision.move);
  await makeMove(tx, accountId, row, decision, isDone ? 'done' : 'suggested');
}
