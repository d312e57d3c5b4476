// Events of deliverability for higher areas, each published in the transaction of its change.
import { defineEvent } from '#platform/server/events.ts';
import type { Cause, State } from './health/health.ts';

/**
 * The health of a domain has a new cause, or a worse one. `mailbox`: the mailbox provider; null for
 * what concerns the whole domain.
 */
export const healthChanged = defineEvent<{
  accountId: number;
  domain: string;
  mailbox: number | null;
  state: State;
  causes: Cause[];
}>('deliverability.health_changed');
