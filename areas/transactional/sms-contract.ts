// The web app's call that lists the titles of transactional SMS, with the number of SMS that
// programs sent under each title.

import { z } from 'zod';
import { defineCalls, Id, Instant, listResponse, listQuery } from '#platform/contract.ts';

export const TransactionalSms = z.object({
  /** Id of its report. */
  id: Id,
  title: z.string().describe('Empty for messages sent without a title'),
  figures: z.object({
    sent: z.number(),
    delivered: z.number().nullable().describe('Delivery receipts; null until there is one'),
    failed: z.number(),
  }),
  created: Instant,
  modified: Instant.describe('When the last message was sent'),
});
export type TransactionalSms = z.infer<typeof TransactionalSms>;

export const smsCalls = defineCalls({
  listTexts: {
    method: 'GET',
    path: '/client-api/api/transactional/sms',
    caller: 'account',
    summary: 'List transactional SMS with statistics',
    description: 'Messages are grouped by title.',
    query: listQuery({ sorts: ['modified', 'created', 'title'], order: 'modified' }),
    response: listResponse(TransactionalSms),
  },
});
