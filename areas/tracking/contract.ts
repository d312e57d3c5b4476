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
    summary: 'What mails measure, and the hosts of their links',
    answer: dataAnswer(Measuring),
  },
  saveMeasuring: {
    method: 'PUT',
    path: '/client-api/api/tracking',
    who: 'account',
    summary: 'Switches the measuring of opens and clicks on or off, for mails sent from now on',
    body: z.strictObject({ opens: z.boolean(), clicks: z.boolean() }),
    answer: dataAnswer(Measuring),
  },
  checkHosts: {
    method: 'POST',
    path: '/client-api/api/tracking/hosts/check',
    who: 'account',
    summary: 'Asks the account’s own hosts of links now whether they lead here',
    answer: dataAnswer(Measuring),
    transaction: 'own',
  },
});
