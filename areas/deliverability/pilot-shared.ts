// Modes, moves, causes and states of the autopilot, used by the server and the screens.
export const PILOT_MODES = ['off', 'suggest', 'act'] as const;
export type PilotMode = (typeof PILOT_MODES)[number];

/** `narrow` sends only to engaged subscribers, and `widen` to all subscribers again. */
export const PILOT_MOVES = [
  'begin',
  'slow',
  'pause',
  'narrow',
  'raise',
  'resume',
  'end',
  'widen',
] as const;
export type PilotMove = (typeof PILOT_MOVES)[number];

export const PILOT_CAUSES = [
  'new',
  'deferrals',
  'refusals',
  'complaints',
  'opens',
  'clean',
  'off',
] as const;
export type PilotCause = (typeof PILOT_CAUSES)[number];

export const MOVE_STATES = ['suggested', 'done', 'undone', 'expired'] as const;
