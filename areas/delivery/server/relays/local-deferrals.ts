// Replies that we create ourselves for handoffs that no relay may get now.
import type { HandoffResult } from './provider.ts';

export const LOCAL_DEFERRAL: HandoffResult = {
  outcome: 'deferred',
  scope: 'connection',
  step: 'connect',
  code: 0,
  enhancedCode: '',
  reply: '',
};

/** The hourly or daily limit of a relay is used up. */
export const USED_UP: HandoffResult = {
  ...LOCAL_DEFERRAL,
  scope: 'relay',
  reply: 'Held: the limit of the mail server is used up.',
};

/** The recipient's domain or mailbox provider has no capacity. */
export const PROVIDER_PACED = {
  scope: 'domain',
  reply: 'Held: the limit for this domain is used up.',
} as const;
/** The relays that could send the handoff have no capacity. */
export const BUSY = {
  scope: 'relay',
  reply: 'Held: the mail server is busy.',
} as const;
