// Replies that we create ourselves for handoffs that no relay may get now.
import type { HandoffResult } from './provider.ts';

export const LOCAL_DEFERRAL: HandoffResult = {
  outcome: 'deferred',
  about: 'connection',
  at: 'connect',
  code: 0,
  enhanced: '',
  reply: '',
};

/** The hourly or daily limit of a relay is used up. */
export const USED_UP: HandoffResult = {
  ...LOCAL_DEFERRAL,
  about: 'relay',
  reply: 'Held: the limit of the mail server is used up.',
};

/** The recipient's domain or mailbox provider has no capacity. */
export const PROVIDER_PACED = {
  about: 'domain',
  reply: 'Held: the limit for this domain is used up.',
} as const;
/** The relays that could send the handoff have no capacity. */
export const BUSY = {
  about: 'relay',
  reply: 'Held: the mail server is busy.',
} as const;
