// The autopilot of a domain at each mailbox provider: lists its state and moves, sets its mode, and
// applies, dismisses or undoes moves.
import { encodeId } from '#platform/ids.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import type { PilotMoveEntry, PilotOfDomain } from '../../pilot-contract.ts';
import type { PilotMode, PilotMove } from '../../pilot-shared.ts';
import { listHealth } from '../health/health.sql.ts';
import { getMailboxName } from '../health/mailbox-names.ts';
import { createFirstLimit, HOLD_MS, PROBES_PER_HOUR } from './decide.ts';
import { isLimited, getLimit, makeMove, setLimit, applyLimit } from './move.ts';
import * as store from './pilot.sql.ts';
import { countAttempts, formatDay } from './readings.ts';

const DAY_MS = 86_400_000;
const SHOWN_DAYS = 30;
const MAX_SHOWN = 200;
/** A domain with fewer attempts at a provider within 30 days is new there. */
const MIN_ESTABLISHED_ATTEMPTS = 2_000;
/** The hourly rate that ends the limit of a new domain. */
const NEW_ENDS_AT_PER_HOUR = 2_000;

const NO_LIMIT = {
  ...{ perHour: null, endsAtPerHour: null, isPaused: false, isEngagedOnly: false },
};

type PilotAtMailbox = PilotOfDomain['mailboxes'][number];

export async function listPilots(db: Reader, accountId: number): Promise<PilotOfDomain[]> {
  const since = new Date(clock.now().getTime() - SHOWN_DAYS * DAY_MS);
  const moves = await store.listMovesSince(db, accountId, since, MAX_SHOWN);
  const pilots = await store.listPilots(db, accountId);
  const domains = new Map<string, PilotAtMailbox[]>();
  for (const location of await listLocations(db, accountId, pilots)) {
    const { domain, mailbox } = location;
    const row = pilots.find((row) => isAt(row, location));
    const pilotMoves = moves.filter((move) => isAt(move, location));
    const domainRows = domains.get(domain) ?? [];
    domains.set(domain, domainRows);
    domainRows.push({
      mailbox: getMailboxName(mailbox) as PilotAtMailbox['mailbox'],
      mode: (row?.mode ?? 'suggest') as PilotMode,
      ...{ per_hour: row?.per_hour ?? null, is_paused: row?.is_paused ?? false },
      is_engaged_only: row?.is_engaged_only ?? false,
      held_until: formatHeldUntil(row),
      moves: pilotMoves.map((move) =>
        present(move, row?.mode === 'off' ? undefined : findNewestDone(pilotMoves)),
      ),
    });
  }
  return [...domains].map(([domain, mailboxes]) => ({
    ...{ domain_name: domain, shown_name: toUnicodeDomain(domain), mailboxes },
  }));
}

const isAt = (location: store.PilotLocation, otherLocation: store.PilotLocation) =>
  location.domain === otherLocation.domain && location.mailbox === otherLocation.mailbox;

/**
 * Returns the domain and mailbox provider pairs with stored health or autopilot state. Pairs with
 * `other` are excluded.
 */
async function listLocations(
  db: Reader,
  accountId: number,
  pilots: readonly store.PilotRow[],
): Promise<store.PilotLocation[]> {
  const healthRows = await listHealth(db, accountId);
  const locations = new Map<string, store.PilotLocation>();
  for (const { domain, mailbox } of [...healthRows, ...pilots]) {
    if (mailbox > MAILBOXES.other) locations.set(`${domain} ${mailbox}`, { domain, mailbox });
  }
  return [...locations.values()].toSorted(
    (a, b) => a.domain.localeCompare(b.domain) || a.mailbox - b.mailbox,
  );
}

function formatHeldUntil(row: store.PilotRow | undefined): string | null {
  const heldUntilDate = row?.held_until;
  return heldUntilDate && heldUntilDate > clock.now() ? heldUntilDate.toISOString() : null;
}

const findNewestDone = (moves: readonly store.MoveRow[]) =>
  moves.find(({ state }) => state === 'done')?.id;

const present = (row: store.MoveRow, newest: number | undefined): PilotMoveEntry => ({
  id: encodeId('pilot_move', row.id),
  ...{ move: row.move as PilotMove, cause: row.cause as PilotMoveEntry['cause'] },
  ...{ count: row.count, of: row.of },
  ...{ from_per_hour: row.from_per_hour, to_per_hour: row.to_per_hour },
  ...{ state: row.state as PilotMoveEntry['state'], at: row.at.toISOString() },
  can_undo: row.state === 'suggested' || (row.state === 'done' && row.id === newest),
});

/**
 * Sets the mode.
 * @throws `not_found` for a domain without stored health or autopilot state, so that no rows are
 * stored for arbitrary names
 */
export async function setMode(
  tx: Tx,
  { accountId }: Actor,
  body: { domain_name: string; mailbox: PilotAtMailbox['mailbox']; mode: PilotMode },
): Promise<void> {
  const { domain_name: domain, mode } = body;
  const mailbox = MAILBOXES[body.mailbox];
  const location = { domain, mailbox };
  const knownLocations = await listLocations(tx, accountId, await store.listPilots(tx, accountId));
  if (!knownLocations.some((candidate) => candidate.domain === domain))
    throw new AppError('not_found');
  const row = await store.lockPilot(tx, accountId, location);
  if (row.mode === mode) return;
  const now = clock.now();
  await store.expireSuggestions(tx, accountId, location, now);
  await store.updatePilot(tx, accountId, location, { mode, held_until: null });
  if (mode === 'off') {
    await turnOff(tx, accountId, { ...row, mode });
    return;
  }
  const attempts =
    mode === 'act' && row.per_hour === null
      ? await countRecentAttempts(tx, accountId, location)
      : 0;
  if (mode === 'act' && row.per_hour === null && attempts < MIN_ESTABLISHED_ATTEMPTS) {
    const limit = { ...createFirstLimit(NEW_ENDS_AT_PER_HOUR), isEngagedOnly: row.is_engaged_only };
    const decision = {
      move: 'begin',
      cause: 'new',
      count: attempts,
      of: 0,
      nextLimits: limit,
    } as const;
    await makeMove(tx, accountId, { ...row, mode }, decision, 'done');
    return;
  }
  await setLimit(tx, accountId, location, { ...getLimit(row), mode });
}

async function turnOff(tx: Tx, accountId: number, row: store.PilotRow): Promise<void> {
  if (isLimited(row)) {
    const decision = { move: 'end', cause: 'off', count: 0, of: 0, nextLimits: NO_LIMIT } as const;
    await makeMove(tx, accountId, row, decision, 'done');
  } else await applyLimit(tx, accountId, row, NO_LIMIT);
}

/** Counts attempts within 30 days. */
async function countRecentAttempts(
  tx: Tx,
  accountId: number,
  location: store.PilotLocation,
): Promise<number> {
  const day = formatDay(clock.now().getTime() - SHOWN_DAYS * DAY_MS);
  const rows = await store.readSums(tx, accountId, day);
  return rows
    .filter((row) => isAt(row, location))
    .reduce((sum, row) => sum + countAttempts(row), 0);
}

export async function applyMove(tx: Tx, { accountId, userId }: Actor, id: number): Promise<void> {
  const { move, row } = await lockMove(tx, accountId, id);
  if (move.state !== 'suggested') throw new AppError('pilot_move_over');
  const at = clock.now();
  const decision = { decided_at: at, decided_by: userId };
  await store.updateMove(tx, accountId, id, { state: 'done', applied_at: at, ...decision });
  // Results from before this instant do not show the effect of the new limit.
  await store.updatePilot(tx, accountId, row, { moved_at: at });
  if (move.move === 'narrow') {
    await applyLimit(tx, accountId, row, { ...getLimit(row), isEngagedOnly: true });
    return;
  }
  const perHour = move.to_per_hour ?? PROBES_PER_HOUR;
  await applyLimit(tx, accountId, row, {
    ...getLimit(row),
    perHour: perHour,
    endsAtPerHour:
      row.ends_at_per_hour ?? (move.move === 'slow' ? 4 * perHour : NEW_ENDS_AT_PER_HOUR),
    isPaused: move.move === 'pause',
  });
}

/**
 * Undoes the newest move, or dismisses a suggestion. The autopilot then makes no moves for seven
 * days.
 */
export async function undoMove(tx: Tx, { accountId, userId }: Actor, id: number): Promise<void> {
  const { move, row } = await lockMove(tx, accountId, id);
  const now = clock.now();
  const since = new Date(now.getTime() - SHOWN_DAYS * DAY_MS);
  const moves = await store.listMovesSince(tx, accountId, since, MAX_SHOWN);
  const isNewest =
    row.mode !== 'off' && findNewestDone(moves.filter((other) => isAt(other, move))) === id;
  if (move.state !== 'suggested' && !(move.state === 'done' && isNewest)) {
    throw new AppError('pilot_move_over');
  }
  await store.updateMove(tx, accountId, id, {
    ...{ state: 'undone', decided_at: now, decided_by: userId },
  });
  if (move.state === 'done') await applyLimit(tx, accountId, row, limitBefore(move, row));
  const held_until = new Date(now.getTime() + HOLD_MS);
  await store.updatePilot(tx, accountId, move, { held_until });
}

function limitBefore(move: store.MoveRow, row: store.PilotRow): ReturnType<typeof getLimit> {
  const limit = getLimit(row);
  if (move.move === 'narrow' || move.move === 'widen') {
    return { ...limit, isEngagedOnly: move.move === 'widen' };
  }
  const perHour = move.from_per_hour;
  const endsAtPerHour = perHour === null ? null : (row.ends_at_per_hour ?? NEW_ENDS_AT_PER_HOUR);
  return { ...limit, perHour, endsAtPerHour, isPaused: move.move === 'resume' };
}

/**
 * Locks the autopilot's row and reads the move again under this lock, so that concurrent calls run
 * one after another.
 */
async function lockMove(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<{ move: store.MoveRow; row: store.PilotRow }> {
  const suggestedMove = await store.findMove(tx, accountId, id);
  if (!suggestedMove) throw new AppError('not_found');
  const row = await store.lockPilot(tx, accountId, suggestedMove);
  const move = (await store.findMove(tx, accountId, id)) ?? suggestedMove;
  return { move, row };
}
