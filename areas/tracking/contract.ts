// What an account measures in its mails, and the hosts that its links are written with.
import { z } from 'zod';
import { dataAnswer, defineCalls, Instant } from '#platform/contract.ts';
import { HOST_FAULTS } from './limits.ts';

export const Measuring = z.object({
  opens: z.boolean(),
  clicks: z.boolean(),
  /** The account's own hosts of links: used once they were seen to lead here. */
  hosts: z.array(
    z.object({
      domain: z.string(),
      host: z.string(),
      is_used: z.boolean(),
      /** What stood in the way when it was last asked. */
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
    who: 'account',
    summary: 'Get tracking settings and link hosts',
    answer: dataAnswer(Measuring),
  },
  saveMeasuring: {
    method: 'PUT',
    path: '/client-api/api/tracking',
    who: 'account',
    summary: 'Set open and click tracking',
    description: 'Applies to emails sent from now on.',
    body: z.strictObject({ opens: z.boolean(), clicks: z.boolean() }),
    answer: dataAnswer(Measuring),
  },
  checkHosts: {
    method: 'POST',
    path: '/client-api/api/tracking/hosts/check',
    who: 'account',
    summary: 'Verify custom link hosts',
    description: 'Checks whether the hosts point to this installation.',
    answer: dataAnswer(Measuring),
    transaction: 'own',
  },
});
