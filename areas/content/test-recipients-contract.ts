// Saved recipients of test emails and test SMS.
import { z } from 'zod';
import { dataResponse, defineCalls, SuccessResponse, line } from '#platform/contract.ts';
import { MAX_EMAIL } from './shared.ts';

const TestChannel = z.enum(['email', 'sms']);

export const testRecipientCalls = defineCalls({
  listTestRecipients: {
    method: 'GET',
    path: '/client-api/api/test_recipients',
    caller: 'account',
    summary: 'List saved test recipients',
    description:
      'Returns up to 50 email addresses or phone numbers of earlier tests, most recently used first.',
    query: z.strictObject({ channel: TestChannel }),
    response: dataResponse(z.array(z.string())),
  },
  deleteTestRecipient: {
    method: 'DELETE',
    path: '/client-api/api/test_recipients',
    caller: 'account',
    summary: 'Delete a saved test recipient',
    body: z.strictObject({ channel: TestChannel, contact: line(MAX_EMAIL, 1) }),
    response: SuccessResponse,
  },
});
