// Values of the autopilot for server and web.
export const PILOT_MODES = ['off', 'suggest', 'act'] as const;
export type PilotMode = (typeof PILOT_MODES)[number];

export const PILOT_MOVES = ['begin', 'slow', 'pause', 'raise', 'resume', 'end'] as const;
export type PilotMove = (typeof PILOT_MOVES)[number];

export const PILOT_CAUSES = ['new', 'deferrals', 'refusals', 'complaints', 'clean'] as const;
export type PilotCause = (typeof PILOT_CAUSES)[number];

export const MOVE_STATES = ['suggested', 'done', 'undone', 'expired'] as const;
