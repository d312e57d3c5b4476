// Runs the autopilot. Every five minutes, it reads the results of all sending domains at mailbox
// providers, and makes or suggests the next move. Opens are read from the domains' health.
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { listReportingMailboxes } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { listHealth } from '../health/health.sql.ts';
import { decide, type Decision, type Shortfall } from './decide.ts';
import { isLimited, limitOf, makeMove } from './move.ts';
import * as store from './pilot.sql.ts';
import { attemptsOf, dayOf, type DaySums, NO_SUMS, type Sums, withReading } from './readings.ts';
import { reportWaiting } from './waiting.ts';

const DAY_MS = 86_400_000;
const REPORTING_MS = 180 * DAY_MS;
/**
 * How many days moves are stored, which is as long as reports show the campaigns that they limited.
 */
const MOVES_DAYS = 400;
const MAX_MOVES = 1_000;
/** With fewer attempts within two days, the autopilot does not start to watch a provider. */
const MIN_ATTEMPTS = 50;
/** Moves that raise or remove a limit, which are made even if other moves are only suggested. */
const LIFTING: readonly Decision['move'][] = ['raise', 'resume', 'end', 'widen'];

type Results = store.Place & { days: Map<string, Sums> };

export function runPilots(db: Db, accountId: number): Promise<void> {
  return inTransaction(db, async (tx) => {
    const now = clock.now();
    const results = await recentResults(tx, accountId, now);
    const pilots = await store.listPilots(tx, accountId);
    const shortfalls = await readShortfalls(tx, accountId);
    for (const place of [...pilots.filter(isLimited), ...shortfalls.values()]) {
      const key = keyOf(place);
      if (!results.has(key)) results.set(key, { ...place, days: new Map() });
    }
    if (results.size === 0) return;
    const reporting = await listReportingMailboxes(
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
      const opens = shortfalls.get(keyOf(place))?.opens;
      if (!known.has(keyOf(place)) && !opens && sumOf(days) < MIN_ATTEMPTS) continue;
      const isReporting = reporting.has(mailbox);
      const placeMoves = moves.filter((move) => keyOf(move) === keyOf(place));
      await runPilot(tx, accountId, place, { days, isReporting, opens, moves: placeMoves });
    }
  });
}

const keyOf = ({ domain, mailbox }: store.Place) => `${mailbox} ${domain}`;

/** Reads opens below expectation, by domain and mailbox provider. */
async function readShortfalls(
  tx: Tx,
  accountId: number,
): Promise<Map<string, store.Place & { opens: Shortfall }>> {
  const shortfalls = new Map<string, store.Place & { opens: Shortfall }>();
  for (const { domain, mailbox, causes } of await listHealth(tx, accountId)) {
    const found = causes.find(({ cause }) => cause === 'opens');
    if (!found || mailbox <= MAILBOXES.other) continue;
    const { level, count, of, newestAt = found.since } = found;
    const opens = { level, count, of, at: new Date(newestAt).getTime() };
    shortfalls.set(keyOf({ domain, mailbox }), { domain, mailbox, opens });
  }
  return shortfalls;
}

const sumOf = (days: DaySums) =>
  [...days.values()].reduce((sum, sums) => sum + attemptsOf(sums), 0);

/** Reads the results of today and yesterday. */
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

async function runPilot(
  tx: Tx,
  accountId: number,
  place: store.Place,
  facts: {
    days: DaySums;
    isReporting: boolean;
    opens: Shortfall | undefined;
    moves: readonly store.MoveRow[];
  },
): Promise<void> {
  const row = await store.lockPilot(tx, accountId, place);
  const now = clock.now().getTime();
  const { days, isReporting, opens } = facts;
  const { readings } = row;
  if (isLimited(row)) await reportWaiting(tx, accountId, row, now);
  // Another process may have made a move since the moves were read.
  const newest = row.moved_at?.getTime() ?? 0;
  const moves = facts.moves
    .map(({ state, at, decided_at: decided }) =>
      (state === 'done' && decided ? decided : at).getTime(),
    )
    .filter((at) => at < newest);
  const state = {
    ...limitOf(row),
    opensAt: row.opens_at?.getTime() ?? null,
    moves: [...moves.toSorted((a, b) => a - b), newest],
    heldUntil: row.held_until?.getTime() ?? null,
  };
  const decision =
    row.mode === 'off' ? undefined : decide(state, { readings, days, isReporting, opens, now });
  await store.updatePilot(tx, accountId, place, { readings: withReading(readings, days, now) });
  if (!decision) return;
  const isDone = row.mode === 'act' || LIFTING.includes(decision.move);
  await makeMove(tx, accountId, row, decision, isDone ? 'done' : 'suggested');
}
