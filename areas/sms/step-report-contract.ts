// What became of the texts of one step of a workflow.
import { z } from 'zod';
import { dataAnswer, defineCalls, idOf } from '#platform/contract.ts';

const params = z.object({ id: idOf('step') });
const BASE = '/client-api/api/transactional/sms/{id}/report';

export const StepReport = z.object({
  text: z.string().describe('As it was written, the last that left'),
  sender: z.string(),
  figures: z.object({
    sent: z.number(),
    delivered: z.number(),
    clicks: z.number().describe('People who followed a link'),
    unsubscribes: z.number(),
    failed: z.number(),
    replies: z.number(),
    parts: z.number(),
    cost_micros: z.number(),
  }),
});

export const stepReportCalls = defineCalls({
  stepTextReport: {
    method: 'GET',
    path: BASE,
    who: 'account',
    summary: 'The figures of a workflow’s SMS step; 404 until its first text has left',
    params,
    answer: dataAnswer(StepReport),
  },
  stepTextClicks: {
    method: 'GET',
    path: `${BASE}/clicks`,
    who: 'account',
    summary: 'Each link of it with its clicks, and how many people those were of',
    params,
    answer: dataAnswer(
      z.array(z.object({ url: z.string(), clicks: z.number(), people: z.number() })),
    ),
  },
});
