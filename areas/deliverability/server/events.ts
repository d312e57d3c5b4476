// Events of deliverability for higher areas, each published in the transaction of its change.
import { defineEvent } from '#platform/server/events.ts';
import type { PilotCause, PilotMove } from '../pilot-shared.ts';
import type { MeasuredCause, HealthState } from './health/health.ts';

/**
 * The health of a domain has a new or worse cause. `mailbox` is the mailbox provider, or null for a
 * domain-wide cause.
 */
export const healthChanged = defineEvent<{
  accountId: number;
  domain: string;
  mailbox: number | null;
  state: HealthState;
  causes: MeasuredCause[];
}>('deliverability.health_changed');

/**
 * The autopilot made a move at a mailbox provider, or suggests one. `count` is the number of events
 * of the cause, and `of` the total of attempts, recipients or expected opens. `toPerHour` is null
 * for no limit.
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
 * Emails of a campaign have waited for three days because the autopilot limits a mailbox provider.
 * The event occurs once per campaign and provider. `messageId` is the campaign's first message, and
 * `waiting` the number of remaining recipients there.
 */
export const pilotHolds = defineEvent<{
  accountId: number;
  domain: string;
  mailbox: number;
  campaignId: number;
  messageId: number;
  waiting: number;
}>('deliverability.pilot_holds');
