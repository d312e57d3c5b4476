// What is answered here and by no relay: where none may have a hand-over now.
import type { Answer } from './provider.ts';

export const NOT_NOW: Answer = {
  outcome: 'deferred',
  about: 'connection',
  at: 'connect',
  code: 0,
  enhanced: '',
  reply: '',
};

/** An hour's or a day's limit of one relay. */
export const USED_UP: Answer = {
  ...NOT_NOW,
  about: 'relay',
  reply: 'As much as was allowed has left.',
};

/** Why it is held. */
export const ENOUGH = { about: 'domain', reply: 'Held: enough for this domain now.' } as const;
export const BUSY = {
  about: 'relay',
  reply: 'Held: the mail server has enough to do now.',
} as const;
