// Runs the autopilot. Every five minutes, it reads the results of all sending domains at mailbox
// providers and makes or suggests the next move. Opens are read from the domains' health.
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { listReportingMailboxes } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { listHealth } from '../health/health.sql.ts';
import { decideMove, type PilotDecision, type Shortfall } from './decide.ts';
import { isLimited, getLimit, makeMove } from './move.ts';
import * as store from './pilot.sql.ts';
import {
  countAttempts,
  formatDay,
  type DaySums,
  NO_SUMS,
  type ResultSums,
  addReading,
} from './readings.ts';
import { reportWaiting } from './waiting.ts';

const DAY_MS = 86_400_000;
const REPORTING_MS = 180 * DAY_MS;
/** Days to store moves: as long as reports show the campaigns that they limited. */
const MOVES_DAYS = 400;
const MAX_MOVES = 1_000;
/** With fewer attempts within two days, the autopilot does not start to watch a provider. */
const MIN_ATTEMPTS = 50;
/** Moves that raise or remove a limit; made even if other moves are only suggested. */
const LIFTING: readonly PilotDecision['move'][] = ['raise', 'resume', 'end', 'widen'];

type PilotResults = store.PilotLocation & { days: Map<string, ResultSums> };

export function runPilots(db: Db, accountId: number): Promise<void> {
  return inTransaction(db, async (tx) => {
    const now = clock.now();
    const results = await readRecentResults(tx, accountId, now);
    const pilots = await store.listPilots(tx, accountId);
    const shortfalls = await readShortfalls(tx, accountId);
    for (const location of [...pilots.filter(isLimited), ...shortfalls.values()]) {
      const key = formatKey(location);
      if (!results.has(key)) results.set(key, { ...location, days: new Map() });
    }
    if (results.size === 0) return;
    const reporting = await listReportingMailboxes(
      tx,
      accountId,
      new Date(now.getTime() - REPORTING_MS),
    );
    const movesBefore = new Date(now.getTime() - MOVES_DAYS * DAY_MS);
    await store.deleteOldMoves(tx, accountId, movesBefore);
    const yesterday = new Date(now.getTime() - DAY_MS);
    const moves = await store.listMovesSince(tx, accountId, yesterday, MAX_MOVES);
    const pilotKeys = new Set(pilots.map(formatKey));
    for (const { domain, mailbox, days } of results.values()) {
      const location = { domain, mailbox };
      const opens = shortfalls.get(formatKey(location))?.opens;
      if (!pilotKeys.has(formatKey(location)) && !opens && sumOf(days) < MIN_ATTEMPTS) continue;
      const isReporting = reporting.has(mailbox);
      const placeMoves = moves.filter((move) => formatKey(move) === formatKey(location));
      await runPilot(tx, accountId, location, { days, isReporting, opens, moves: placeMoves });
    }
  });
}

const formatKey = ({ domain, mailbox }: store.PilotLocation) => `${mailbox} ${domain}`;

/** Reads opens below expectation, by domain and mailbox provider. */
async function readShortfalls(
  tx: Tx,
  accountId: number,
): Promise<Map<string, store.PilotLocation & { opens: Shortfall }>> {
  const shortfalls = new Map<string, store.PilotLocation & { opens: Shortfall }>();
  for (const { domain, mailbox, causes } of await listHealth(tx, accountId)) {
    const opensCause = causes.find(({ cause }) => cause === 'opens');
    if (!opensCause || mailbox <= MAILBOXES.other) continue;
    const { level, count, of, newestAt = opensCause.since } = opensCause;
    const opens = { level, count, of, startedAt: new Date(newestAt).getTime() };
    shortfalls.set(formatKey({ domain, mailbox }), { domain, mailbox, opens });
  }
  return shortfalls;
}

const sumOf = (days: DaySums) =>
  [...days.values()].reduce((sum, sums) => sum + countAttempts(sums), 0);

/** Reads the results of today and yesterday. */
async function readRecentResults(
  tx: Tx,
  accountId: number,
  now: Date,
): Promise<Map<string, PilotResults>> {
  const results = new Map<string, PilotResults>();
  for (const row of await store.readSums(tx, accountId, formatDay(now.getTime() - DAY_MS))) {
    const { domain, mailbox, day, ...sums } = row;
    const result = results.get(formatKey(row)) ?? {
      domain,
      mailbox,
      days: new Map<string, ResultSums>(),
    };
    result.days.set(day, { ...NO_SUMS, ...sums });
    results.set(formatKey(row), result);
  }
  return results;
}

async function runPilot(
  tx: Tx,
  accountId: number,
  location: store.PilotLocation,
  inputs: {
    days: DaySums;
    isReporting: boolean;
    opens: Shortfall | undefined;
    moves: readonly store.MoveRow[];
  },
): Promise<void> {
  const row = await store.lockPilot(tx, accountId, location);
  const now = clock.now().getTime();
  const { days, isReporting, opens } = inputs;
  const { readings } = row;
  if (isLimited(row)) await reportWaiting(tx, accountId, row, now);
  // Another process may have made a move since the moves were read.
  const newest = row.moved_at?.getTime() ?? 0;
  const moves = inputs.moves
    .map(({ state, at, decided_at: decidedAt }) =>
      (state === 'done' && decidedAt ? decidedAt : at).getTime(),
    )
    .filter((at) => at < newest);
  const state = {
    ...getLimit(row),
    opensAt: row.opens_at?.getTime() ?? null,
    moves: [...moves.toSorted((a, b) => a - b), newest],
    heldUntil: row.held_until?.getTime() ?? null,
  };
  const decision =
    row.mode === 'off' ? undefined : decideMove(state, { readings, days, isReporting, opens, now });
  await store.updatePilot(tx, accountId, location, { readings: addReading(readings, days, now) });
  if (!decision) return;
  const isDone = row.mode === 'act' || LIFTING.includes(decision.move);
  await makeMove(tx, accountId, row, decision, isDone ? 'done' : 'suggested');
}
