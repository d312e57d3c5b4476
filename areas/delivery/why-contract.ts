// 'Why did this person (not) get it?': everything that is known, in the order in which it happened.
import { z } from 'zod';
import { dataAnswer, defineCalls, Id, idOf, Instant } from '#platform/contract.ts';
import { WHY_ANSWERS, WHY_STEPS } from './why-words.ts';

export const WhyStep = z.object({
  kind: z.enum(WHY_STEPS),
  at: Instant.nullable().describe('Null where it is no moment, or nobody knows any more'),
  until: Instant.nullable().describe('The latest that it may have been: only a span is known'),
  names: z.array(z.string()).describe('Titles of groups and segments'),
  reason: z.string().nullable().describe('Our reason, as a word'),
  code: z.string().nullable().describe('The mail server’s status code'),
  reply: z.string().nullable().describe('The mail server’s words'),
  relay: z.string().nullable().describe('Through which relay of the account’s own'),
  is_human: z.boolean().nullable().describe('False where only a machine did it'),
});
export type WhyStep = z.infer<typeof WhyStep>;

export const Why = z.object({
  answer: z.enum(WHY_ANSWERS),
  email: z.string().nullable(),
  subject: z.string(),
  is_compacted: z
    .boolean()
    .describe('Old campaigns keep less: the hand-over’s minute, not each attempt'),
  steps: z.array(WhyStep),
});
export type Why = z.infer<typeof Why>;

const query = z.strictObject({ subscriber: idOf('subscriber') });

export const whyCalls = defineCalls({
  whyCampaign: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/why',
    who: 'account',
    summary: 'Why a person did or did not get a campaign',
    params: z.object({ id: idOf('campaign') }),
    query,
    answer: dataAnswer(Why),
  },
  whyMessage: {
    method: 'GET',
    path: '/client-api/api/messages/{id}/why',
    who: 'account',
    summary: 'The same for any message that stands in a person’s history',
    params: z.object({ id: idOf('message') }),
    query,
    answer: dataAnswer(Why),
  },
  listSingles: {
    method: 'GET',
    path: '/client-api/api/subscribers/{id}/single_messages',
    who: 'account',
    summary: 'The newest messages that were sent to this person alone',
    params: z.object({ id: idOf('subscriber') }),
    answer: dataAnswer(
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
