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

/** The hourly or daily limit of a relay is used up. */
export const USED_UP: Answer = {
  ...NOT_NOW,
  about: 'relay',
  reply: 'Held: the limit of the mail server is used up.',
};

/** Causes of a hold, as shown in the delivery explanation. */
export const PACED = {
  about: 'domain',
  reply: 'Held: the limit for this domain is used up.',
} as const;
export const BUSY = {
  about: 'relay',
  reply: 'Held: the mail server is busy.',
} as const;
