// Contract of an SMS campaign's reports: revenue, clicks by link, and lists of subscribers who
// clicked, unsubscribed or replied, or whose SMS failed.
import { z } from 'zod';
import { Earned } from '#areas/stores/earned-contract.ts';
import {
  dataResponse,
  defineCalls,
  Id,
  Instant,
  idOf,
  listResponse,
  listQuery,
} from '#platform/contract.ts';
import { params, SMS_CAMPAIGNS_PATH } from './campaign-contract.ts';

/**
 * A subscriber in a list of the report. `said` depends on the list: the number of clicks, the
 * reason for the unsubscribe, the provider's response, or the text of the reply.
 */
export const ReportedSubscriber = z.object({
  person: z.object({ id: Id.nullable(), name: z.string(), phone: z.string() }),
  at: Instant,
  said: z.string(),
});
export type ReportedSubscriber = z.infer<typeof ReportedSubscriber>;

/** A reply, the users' responses to it, and whether it may be answered. */
export const SmsReply = ReportedSubscriber.extend({
  id: Id,
  sender: z.string(),
  may_answer: z.boolean(),
  answers: z.array(z.object({ text: z.string(), at: Instant, state: z.string() })),
});
export type SmsReply = z.infer<typeof SmsReply>;

const query = listQuery({ sorts: ['created'] });
const subscribersResponse = listResponse(ReportedSubscriber);

export const reportCalls = defineCalls({
  smsEarned: {
    method: 'GET',
    path: `${SMS_CAMPAIGNS_PATH}/{id}/report/earned`,
    caller: 'account',
    summary: 'Get revenue attributed to an SMS campaign',
    description: 'Returns the revenue by currency, or null if no store is connected.',
    params,
    response: dataResponse(z.array(Earned).nullable()),
    errors: { not_sent_yet: 409 },
  },
  smsLinks: {
    method: 'GET',
    path: `${SMS_CAMPAIGNS_PATH}/{id}/report/links`,
    caller: 'account',
    summary: 'List links with clicks',
    description:
      'Returns total clicks and distinct subscribers for each link. Clicks by machines do not count.',
    params,
    response: dataResponse(
      z.array(z.object({ id: Id, url: z.string(), clicks: z.number(), people: z.number() })),
    ),
    errors: { not_sent_yet: 409 },
  },
  smsLinkClicks: {
    method: 'GET',
    path: `${SMS_CAMPAIGNS_PATH}/{id}/report/links/{link}`,
    caller: 'account',
    requiredRight: 'people',
    summary: 'List subscribers who clicked a link',
    description: 'Returns the latest click first, with the number of clicks of each subscriber.',
    params: params.extend({ link: idOf('link') }),
    query,
    response: subscribersResponse,
    errors: { not_sent_yet: 409 },
  },
  smsUnsubscribes: {
    method: 'GET',
    path: `${SMS_CAMPAIGNS_PATH}/{id}/report/unsubscribes`,
    caller: 'account',
    requiredRight: 'people',
    summary: 'List unsubscribes of an SMS campaign',
    description: 'Includes unsubscribes by STOP reply and by the unsubscribe link.',
    params,
    query,
    response: subscribersResponse,
    errors: { not_sent_yet: 409 },
  },
  smsFailed: {
    method: 'GET',
    path: `${SMS_CAMPAIGNS_PATH}/{id}/report/failed`,
    caller: 'account',
    requiredRight: 'people',
    summary: 'List failed recipients of an SMS campaign',
    description: "Includes the provider's error message.",
    params,
    query,
    response: subscribersResponse,
    errors: { not_sent_yet: 409 },
  },
  smsReplies: {
    method: 'GET',
    path: `${SMS_CAMPAIGNS_PATH}/{id}/report/replies`,
    caller: 'account',
    requiredRight: 'people',
    summary: 'List replies to an SMS campaign',
    params,
    query,
    response: listResponse(SmsReply),
    errors: { not_sent_yet: 409 },
  },
});
