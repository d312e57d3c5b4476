// Events of deliverability for higher areas, each published in the transaction of its change.
import { defineEvent } from '#platform/server/events.ts';
import type { PilotCause, PilotMove } from '../pilot-shared.ts';
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

/**
 * The autopilot made a move at a mailbox provider, or suggests it. `count`: events of the cause, `of`:
 * the total of attempts, recipients or expected opens. `toPerHour` is null for no limit.
 */
export const pilotMoved = defineEvent<{
  accountId: number;
  moveId: number;
  domain: string;
  mailbox: number;
  move: PilotMove;
  cause: PilotCause;
  count: number;
  of: number;
  toPerHour: number | null;
  state: 'done' | 'suggested';
  at: Date;
}>('deliverability.pilot_moved');

/**
 * Emails of a campaign have waited for three days where the autopilot limits a mailbox provider; once
 * per campaign and provider. `messageId`: the first of its messages, `waiting`: recipients left there.
 */
export const pilotHolds = defineEvent<{
  accountId: number;
  domain: string;
  mailbox: number;
  campaignId: number;
  messageId: number;
  waiting: number;
}>('deliverability.pilot_holds');
