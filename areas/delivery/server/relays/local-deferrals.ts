// Replies given locally, not by a relay: when no relay may accept a handoff now.
import type { Answer } from './provider.ts';

export const NOT_NOW: Answer = {
  outcome: 'deferred',
  about: 'connection',
  at: 'connect',
  code: 0,
  enhanced: '',
  reply: '',
};

/** An hourly or daily limit of one relay. */
export const USED_UP: Answer = {
  ...NOT_NOW,
  about: 'relay',
  reply: 'As much as was allowed has left.',
};

/** The reason of the hold. */
export const PACED = { about: 'domain', reply: 'Held: enough for this domain now.' } as const;
export const BUSY = {
  about: 'relay',
  reply: 'Held: the mail server has enough to do now.',
} as const;
