// Calls for the autopilot, which suggests or sets limits of a sending domain at mailbox providers,
// based on the account's own delivery results.
import { z } from 'zod';
import { type Mailbox, MAILBOXES } from '#areas/subscribers/shared.ts';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  itemRoutes,
} from '#platform/contract.ts';
import type { Kind } from '#platform/ids.ts';
import { MOVE_STATES, PILOT_CAUSES, PILOT_MODES, PILOT_MOVES } from './pilot-shared.ts';

const NAMES = Object.keys(MAILBOXES).filter((name) => name !== 'other') as [
  Exclude<Mailbox, 'other'>,
  ...Exclude<Mailbox, 'other'>[],
];
const Provider = z.enum(NAMES);
const PerHour = z.number().nullable().describe('Emails per hour; null means no limit');

export const PilotMoveEntry = z.object({
  id: Id,
  move: z.enum(PILOT_MOVES),
  cause: z.enum(PILOT_CAUSES),
  /** The number of events, such as deferrals, among `of` attempts, recipients or expected opens. */
  count: z.number(),
  of: z.number(),
  from_per_hour: PerHour,
  to_per_hour: PerHour,
  state: z.enum(MOVE_STATES),
  at: Instant,
  can_undo: z.boolean(),
});
export type PilotMoveEntry = z.infer<typeof PilotMoveEntry>;

export const PilotOfDomain = z.object({
  domain_name: z.string(),
  shown_name: z.string(),
  mailboxes: z.array(
    z.object({
      mailbox: Provider,
      mode: z.enum(PILOT_MODES),
      per_hour: PerHour,
      is_paused: z.boolean(),
      is_engaged_only: z.boolean(),
      /**
       * Set after a move was undone or dismissed; the autopilot makes no moves before this time.
       */
      held_until: Instant.nullable(),
      /** The moves of the last 30 days, newest first. */
      moves: z.array(PilotMoveEntry),
    }),
  ),
});
export type PilotOfDomain = z.infer<typeof PilotOfDomain>;

/** A limit that was in effect at a provider while a campaign was sent. */
export const CampaignLimit = z.object({
  mailbox: Provider,
  /** The move that set the limit. */
  move: z.enum(PILOT_MOVES),
  cause: z.enum(PILOT_CAUSES),
  count: z.number(),
  of: z.number(),
  per_hour: PerHour,
  is_engaged_only: z.boolean(),
  since: Instant,
  /** Null while the limit is in effect. */
  until: Instant.nullable(),
});
export type CampaignLimit = z.infer<typeof CampaignLimit>;

/**
 * @param base the base path of the objects with limits
 * @param kind the kind of these objects' ids
 */
export function campaignLimitCalls<const Base extends `/${string}`>(base: Base, kind: Kind) {
  const { itemPath, params } = itemRoutes(base, kind);
  return defineCalls({
    listLimits: {
      method: 'GET',
      path: itemPath('limits'),
      caller: 'account',
      summary: 'List limits of the autopilot for a campaign',
      description:
        'Returns the newest limit at each mailbox provider that was in effect while the campaign was sent.',
      params,
      response: dataResponse(z.array(CampaignLimit)),
    },
  });
}

const base = '/client-api/api/deliverability/pilot';
const params = z.object({ id: idOf('pilot_move') });

export const calls = defineCalls({
  listPilots: {
    method: 'GET',
    path: base,
    caller: 'account',
    summary: 'List the autopilot of sending domains',
    description:
      'Returns mode, limit and the moves of the last 30 days at each mailbox provider whose health is measured or whose autopilot was set.',
    response: dataResponse(z.array(PilotOfDomain)),
  },
  setPilotMode: {
    method: 'PUT',
    path: base,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Set the mode of the autopilot',
    description:
      'The mode `off` removes the limit. The mode `act` first limits a domain that is new at the provider to 50 emails an hour.',
    body: z.strictObject({
      domain_name: z.string().toLowerCase().max(253),
      mailbox: Provider,
      mode: z.enum(PILOT_MODES),
    }),
    response: SuccessResponse,
    errors: { not_found: 404 },
  },
  applyPilotMove: {
    method: 'POST',
    path: `${base}/moves/{id}/apply`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Confirm a suggested move',
    description: 'The request is refused if a newer move has replaced the suggestion.',
    params,
    response: SuccessResponse,
    errors: { pilot_move_over: 409 },
  },
  undoPilotMove: {
    method: 'POST',
    path: `${base}/moves/{id}/undo`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Undo or dismiss a move',
    description:
      'Restores the limit that was in effect before the newest move, or dismisses a suggestion. The autopilot then makes no move at this provider for seven days.',
    params,
    response: SuccessResponse,
    errors: { pilot_move_over: 409 },
  },
});
