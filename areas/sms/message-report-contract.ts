// Contract of reports about the SMS of a workflow step, or about transactional SMS with the same title.
import { z } from 'zod';
import { dataResponse, defineCalls } from '#platform/contract.ts';
import { decodeId } from '#platform/ids.ts';

/** The source of the SMS, by the ID of a workflow step or of a title of transactional SMS. */
const Source = z.string().transform((id, context) => {
  const step = decodeId('step', id);
  if (step !== undefined) return { kind: 'sms_workflow' as const, id: step };
  const text = decodeId('transactional_text', id);
  if (text !== undefined) return { kind: 'sms_transactional' as const, id: text };
  context.addIssue({ code: 'custom', message: 'errors.unknown_id' });
  return z.NEVER;
});
export type SmsReportSource = z.output<typeof Source>;

const params = z.object({ id: Source });
const BASE = '/client-api/api/transactional/sms/{id}/report';

export const SmsReport = z.object({
  of: z.enum(['sms_workflow', 'sms_transactional']),
  text: z.string().describe('Text of the last message sent'),
  sender: z.string(),
  figures: z.object({
    sent: z.number(),
    accepted: z
      .number()
      .describe('Accepted by the provider, without those reported as undelivered'),
    delivered: z.number().nullable().describe('Delivery receipts; null until there is one'),
    clicks: z.number().describe('Distinct subscribers who clicked a link'),
    unsubscribes: z.number(),
    failed: z.number(),
    replies: z.number(),
    parts: z.number(),
    cost_micros: z.number(),
  }),
});

export const smsReportCalls = defineCalls({
  textReport: {
    method: 'GET',
    path: BASE,
    caller: 'account',
    summary: 'Get statistics of automated SMS',
    description:
      'Accepts an SMS step of a workflow, or a transactional SMS. Returns 404 until the first message is sent.',
    params,
    response: dataResponse(SmsReport),
  },
  textReportClicks: {
    method: 'GET',
    path: `${BASE}/clicks`,
    caller: 'account',
    summary: 'List links with clicks of automated SMS',
    description:
      'Returns total clicks and distinct subscribers for each link. Clicks by machines do not count.',
    params,
    response: dataResponse(
      z.array(z.object({ url: z.string(), clicks: z.number(), people: z.number() })),
    ),
  },
});
