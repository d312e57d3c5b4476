// What became of an SMS campaign: clicks by link, and who clicked, left, answered or was not reached.
import { z } from 'zod';
import { Earned } from '#areas/stores/earned-contract.ts';
import {
  dataAnswer,
  defineCalls,
  Id,
  Instant,
  idOf,
  listAnswer,
  listQuery,
} from '#platform/contract.ts';
import { params, SMS_CALLS } from './campaign-contract.ts';

/** A person of a list, when, and the words that go with it: a reply, a reason, the provider's answer. */
export const ReportedPerson = z.object({
  person: z.object({ id: Id.nullable(), name: z.string(), phone: z.string() }),
  at: Instant,
  said: z.string(),
});
export type ReportedPerson = z.infer<typeof ReportedPerson>;

const query = listQuery({ sorts: ['created'] });
const people = listAnswer(ReportedPerson);

export const reportCalls = defineCalls({
  smsEarned: {
    method: 'GET',
    path: `${SMS_CALLS}/{id}/report/earned`,
    who: 'account',
    summary: 'What people bought after it, by currency; null where no store is connected',
    params,
    answer: dataAnswer(z.array(Earned).nullable()),
  },
  smsLinks: {
    method: 'GET',
    path: `${SMS_CALLS}/{id}/report/links`,
    who: 'account',
    summary: 'Each link with its clicks, and how many people those were of',
    params,
    answer: dataAnswer(
      z.array(z.object({ id: Id, url: z.string(), clicks: z.number(), people: z.number() })),
    ),
  },
  smsLinkClicks: {
    method: 'GET',
    path: `${SMS_CALLS}/{id}/report/links/{link}`,
    who: 'account',
    summary: 'Who followed one link, the last first, and how often',
    params: params.extend({ link: idOf('link') }),
    query,
    answer: people,
  },
  smsUnsubscribes: {
    method: 'GET',
    path: `${SMS_CALLS}/{id}/report/unsubscribes`,
    who: 'account',
    summary: 'Who left by an answer or by the link of this campaign',
    params,
    query,
    answer: people,
  },
  smsFailed: {
    method: 'GET',
    path: `${SMS_CALLS}/{id}/report/failed`,
    who: 'account',
    summary: "Whom it did not reach, with the provider's words",
    params,
    query,
    answer: people,
  },
  smsReplies: {
    method: 'GET',
    path: `${SMS_CALLS}/{id}/report/replies`,
    who: 'account',
    summary: 'What people answered',
    params,
    query,
    answer: people,
  },
});
