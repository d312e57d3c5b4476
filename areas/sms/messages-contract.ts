// Contract of single SMS that users send: tests of unsaved SMS, and responses to replies.
import { z } from 'zod';
import { dataResponse, defineCalls, idOf, line, text } from '#platform/contract.ts';
import { params, SMS_CAMPAIGNS_PATH } from './campaign-contract.ts';
import { Content } from './drafts-contract.ts';
import { MAX_TESTS, MAX_TEXT_LENGTH } from './shared.ts';

export const messageCalls = defineCalls({
  sendTestOfText: {
    method: 'POST',
    path: '/client-api/api/sms/test',
    caller: 'account',
    summary: 'Send a test of an unsaved SMS',
    description:
      'The SMS is rendered for the given subscriber, by default for the newest SMS subscriber. For callers without the right `people`, it is rendered without the values of a subscriber.',
    body: z.strictObject({
      ...Content,
      text: text(MAX_TEXT_LENGTH, 1),
      phone_id: idOf('phone'),
      subscriber: idOf('subscriber').optional(),
      phones: z.array(line(64, 1)).min(1).max(MAX_TESTS),
    }),
    response: dataResponse(z.object({ sent: z.number() })),
    errors: { phone_not_active: 422, not_enough_credit: 422, content_invalid: 422 },
  },
  answerSmsReply: {
    method: 'POST',
    path: `${SMS_CAMPAIGNS_PATH}/{id}/report/replies/{reply}/answer`,
    caller: 'account',
    requiredRight: 'send',
    summary: 'Send a response to an incoming SMS',
    description:
      'The SMS is sent from the number that received the reply: at any time within 24 hours of the last reply, then only in the allowed hours of the recipient. Subscribers who opted out cannot be answered.',
    params: params.extend({ reply: idOf('sms_inbound') }),
    body: z.strictObject({ text: text(MAX_TEXT_LENGTH, 1) }),
    response: dataResponse(z.object({ parts: z.number() })),
    errors: {
      not_sent_yet: 409,
      phone_not_active: 422,
      recipient_opted_out: 422,
      quiet_hours_now: 422,
      not_enough_credit: 422,
    },
  },
});
