// The limits of the autopilot over time, calculated from its moves.
import { expect, test } from 'vitest';
import { computeLimits } from './campaign-limits.ts';
import type { AppliedMove } from './pilot.sql.ts';

const atHour = (hour: number) => new Date(Date.UTC(2027, 2, 1, hour));

const move = (
  hour: number,
  name: string,
  perHour: number | null,
  changes: Partial<AppliedMove> = {},
): AppliedMove => ({
  ...{ mailbox: 1, move: name, cause: 'deferrals', count: 1, of: 2, to_per_hour: perHour },
  ...{ appliedAt: atHour(hour), undoneAt: null, ...changes },
});

const presentLimits = (...moves: AppliedMove[]) =>
  computeLimits(moves).map(({ reason, perHour, isEngagedOnly, since, until }) => [
    reason.move,
    perHour,
    isEngagedOnly,
    since.getUTCHours(),
    until?.getUTCHours() ?? null,
  ]);

test('a raised limit keeps its reason and start time until it ends', () => {
  const slowMove = move(8, 'slow', 400);
  expect(presentLimits(slowMove)).toEqual([['slow', 400, false, 8, null]]);
  expect(presentLimits(slowMove, move(10, 'raise', 500))).toEqual([['slow', 500, false, 8, null]]);
  expect(presentLimits(slowMove, move(10, 'raise', 500), move(12, 'end', null))).toEqual([
    ['slow', 500, false, 8, 12],
  ]);
});

test('each stricter limit starts a new entry, and ending a pause includes all subscribers again', () => {
  expect(
    presentLimits(
      move(8, 'slow', 400),
      move(9, 'pause', 20),
      move(11, 'resume', 50),
      move(13, 'end', null),
    ),
  ).toEqual([
    ['slow', 400, false, 8, 9],
    ['pause', 50, false, 9, 13],
  ]);
});

test('a restriction to engaged subscribers outlasts the rate limit, until the move `widen` or the mode `off`', () => {
  const moves = [move(8, 'slow', 400), move(9, 'narrow', 400), move(10, 'end', null)];
  expect(presentLimits(...moves)[1]).toEqual(['narrow', null, true, 9, null]);
  expect(presentLimits(...moves, move(12, 'widen', null))[1]).toEqual([
    'narrow',
    null,
    true,
    9,
    12,
  ]);
  expect(presentLimits(...moves, move(12, 'end', null, { cause: 'off' }))[1]?.[4]).toBe(12);
});

test('undoing a move ends its limit, and the previous limit continues', () => {
  const slowMove = move(8, 'slow', 400);
  expect(presentLimits({ ...slowMove, undoneAt: atHour(9) })).toEqual([['slow', 400, false, 8, 9]]);
  expect(presentLimits(slowMove, move(9, 'pause', 20, { undoneAt: atHour(10) }))).toEqual([
    ['slow', 400, false, 8, 9],
    ['pause', 20, true, 9, 10],
    ['slow', 400, false, 10, null],
  ]);
  const undoneMove = move(10, 'end', null, { undoneAt: atHour(11) });
  expect(presentLimits(slowMove, undoneMove)).toEqual([['slow', 400, false, 8, null]]);
});
