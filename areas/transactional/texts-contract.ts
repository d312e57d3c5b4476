// Transactional texts (SMS): programs send them, and say under which title they are counted.
import { z } from 'zod';
import { defineCalls, Id, Instant, listAnswer, listQuery } from '#platform/contract.ts';

export const TransactionalText = z.object({
  /** What its report is asked by. */
  id: Id,
  title: z.string().describe('Empty: those that were sent without one'),
  figures: z.object({ sent: z.number(), delivered: z.number(), failed: z.number() }),
  created: Instant,
  modified: Instant.describe('When the last one was sent'),
});
export type TransactionalText = z.infer<typeof TransactionalText>;

export const textCalls = defineCalls({
  listTexts: {
    method: 'GET',
    path: '/client-api/api/transactional/sms',
    who: 'account',
    summary: 'Titles of transactional texts with their figures',
    query: listQuery({ sorts: ['modified', 'created', 'title'], order: 'modified' }),
    answer: listAnswer(TransactionalText),
  },
});
