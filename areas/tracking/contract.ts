// Contract of an account's tracking settings and of the hosts of its links.
import { z } from 'zod';
import { dataResponse, defineCalls, Instant } from '#platform/contract.ts';
import { HOST_FAULTS } from './shared.ts';

export const Measuring = z.object({
  opens: z.boolean(),
  clicks: z.boolean(),
  /** The account's own link hosts, which are used once they are verified to point here. */
  hosts: z.array(
    z.object({
      domain: z.string(),
      host: z.string(),
      is_used: z.boolean(),
      /** The problem that the last check found; null if there was none. */
      fault: z.enum(HOST_FAULTS).nullable(),
      checked: Instant,
    }),
  ),
});
export type Measuring = z.infer<typeof Measuring>;

export const calls = defineCalls({
  getMeasuring: {
    method: 'GET',
    path: '/client-api/api/tracking',
    caller: 'account',
    summary: 'Get tracking settings and link hosts',
    response: dataResponse(Measuring),
  },
  saveMeasuring: {
    method: 'PUT',
    path: '/client-api/api/tracking',
    caller: 'account',
    requiredRight: 'settings',
    audit: ['opens', 'clicks'],
    summary: 'Set open and click tracking',
    description: 'Campaigns that are already being sent keep the previous settings.',
    body: z.strictObject({ opens: z.boolean(), clicks: z.boolean() }),
    response: dataResponse(Measuring),
  },
  checkHosts: {
    method: 'POST',
    path: '/client-api/api/tracking/hosts/check',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Verify custom link hosts',
    description: 'Checks whether the hosts point to this installation.',
    response: dataResponse(Measuring),
    transaction: 'own',
  },
});
