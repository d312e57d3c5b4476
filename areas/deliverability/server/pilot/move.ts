// Makes, suggests and applies moves of the autopilot.
import { setProviderCap } from '#areas/delivery/server/ledger/index.ts';
import { clock } from '#platform/server/clock.ts';
import { afterCommit, type Tx } from '#platform/server/database/database.ts';
import type { PilotMode } from '../../pilot-shared.ts';
import { pilotMoved } from '../events.ts';
import { pilotMoves } from '../metrics.ts';
import type { PilotDecision } from './decide.ts';
import * as store from './pilot.sql.ts';

type MoveTarget = PilotDecision['nextLimits'];

/** Returns the current limits at a mailbox provider. */
export const getLimit = (row: store.PilotRow): MoveTarget => ({
  ...{ perHour: row.per_hour, endsAtPerHour: row.ends_at_per_hour },
  ...{ isPaused: row.is_paused, isEngagedOnly: row.is_engaged_only },
});

export const isLimited = (row: store.PilotRow) => row.per_hour !== null || row.is_engaged_only;

/**
 * Makes delivery apply a limit. In `act` mode, engaged subscribers have separate lanes even before
 * there is a limit.
 */
export async function setLimit(
  tx: Tx,
  accountId: number,
  location: store.PilotLocation,
  to: MoveTarget & { mode: PilotMode },
): Promise<void> {
  const { perHour, mode } = to;
  const isEngagedOnly = to.isPaused || to.isEngagedOnly;
  const isNeeded = perHour !== null || isEngagedOnly || mode === 'act';
  await setProviderCap(tx, accountId, location, isNeeded ? { perHour, isEngagedOnly } : undefined);
}

/** Makes a move, or stores it as a suggestion. */
export async function makeMove(
  tx: Tx,
  accountId: number,
  row: store.PilotRow,
  decision: PilotDecision,
  state: 'done' | 'suggested',
): Promise<void> {
  const { move, cause, count, of, nextLimits, opensAt } = decision;
  const { domain, mailbox } = row;
  const at = clock.now();
  await store.expireSuggestions(tx, accountId, row, at);
  const moveId = await store.insertMove(tx, accountId, {
    ...{ domain, mailbox, move, cause, count, of, state, at },
    ...{ from_per_hour: row.per_hour, to_per_hour: nextLimits.perHour },
    applied_at: state === 'done' ? at : null,
  });
  await store.updatePilot(tx, accountId, row, {
    moved_at: at,
    ...(opensAt !== undefined && { opens_at: new Date(opensAt) }),
  });
  if (state === 'done') await applyLimit(tx, accountId, row, nextLimits);
  await pilotMoved.announce(tx, {
    ...{ accountId, moveId, domain, mailbox, move, cause, count, of, state, at },
    toPerHour: nextLimits.perHour,
  });
  afterCommit(() => pilotMoves.inc({ move, state }));
}

export async function applyLimit(
  tx: Tx,
  accountId: number,
  row: store.PilotRow,
  to: MoveTarget,
): Promise<void> {
  await store.updatePilot(tx, accountId, row, {
    ...{ per_hour: to.perHour, ends_at_per_hour: to.endsAtPerHour, is_paused: to.isPaused },
    is_engaged_only: to.isEngagedOnly,
  });
  await setLimit(tx, accountId, row, { ...to, mode: row.mode as PilotMode });
}
