// Contract of the delivery explanation and the list of a subscriber's single sends.
import { z } from 'zod';
import { dataResponse, defineCalls, Id, idOf, Instant } from '#platform/contract.ts';
import { WHY_ANSWERS, WHY_STEPS } from './why-answers.ts';

export const WhyStep = z.object({
  kind: z.enum(WHY_STEPS),
  at: Instant.nullable().describe('Null if it has no time or the time is no longer known'),
  until: Instant.nullable().describe(
    'End of the period in which it happened, if the exact time is unknown; for `paused`, the end of the pause',
  ),
  names: z.array(z.string()).describe('Titles of groups'),
  reason: z.string().nullable().describe('Reason code'),
  code: z.string().nullable().describe('Enhanced status code of the mail server (RFC 3463)'),
  reply: z.string().nullable().describe('Response text of the mail server'),
  relay: z
    .string()
    .nullable()
    .describe('The account’s own relay that was used: its host, and for SMTP also the port'),
  is_human: z
    .boolean()
    .nullable()
    .describe('False where only automated opens or clicks were recorded'),
});
export type WhyStep = z.infer<typeof WhyStep>;

export const DeliveryExplanation = z.object({
  answer: z.enum(WHY_ANSWERS),
  email: z.string().nullable(),
  subject: z.string(),
  is_compacted: z
    .boolean()
    .describe(
      'Whether the message is old, so that only the period of its accepted handoffs is stored, not every attempt',
    ),
  steps: z.array(WhyStep),
});
export type DeliveryExplanation = z.infer<typeof DeliveryExplanation>;

const query = z.strictObject({ subscriber: idOf('subscriber') });

export const whyCalls = defineCalls({
  whyCampaign: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/why',
    caller: 'account',
    requiredRight: 'people',
    summary: 'Get why a subscriber received a campaign',
    description: 'Also explains why a subscriber did not receive it.',
    params: z.object({ id: idOf('campaign') }),
    query,
    response: dataResponse(DeliveryExplanation),
  },
  whyMessage: {
    method: 'GET',
    path: '/client-api/api/messages/{id}/why',
    caller: 'account',
    requiredRight: 'people',
    summary: 'Get why a subscriber received a message',
    description: "Accepts any message in the subscriber's history.",
    params: z.object({ id: idOf('message') }),
    query,
    response: dataResponse(DeliveryExplanation),
  },
  listSingles: {
    method: 'GET',
    path: '/client-api/api/subscribers/{id}/single_messages',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List messages sent to a single subscriber',
    description: 'Returns the newest 100, the newest first.',
    params: z.object({ id: idOf('subscriber') }),
    response: dataResponse(
      z.array(
        z.object({
          message: Id,
          kind: z.string(),
          subject: z.string(),
          state: z.string(),
          created: Instant,
          finished: Instant.nullable(),
        }),
      ),
    ),
  },
});
