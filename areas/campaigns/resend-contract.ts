// Resends: once more to those who opened nothing.
import { z } from 'zod';
import { defineCalls, line } from '#platform/contract.ts';
import { one, params } from './campaign-contract.ts';
import { RESEND_HOURS_LEAST, RESEND_HOURS_MOST, SUBJECT_MOST } from './limits.ts';

export const resendCalls = defineCalls({
  setResend: {
    method: 'PUT',
    path: '/client-api/api/campaigns/{id}/resend',
    who: 'account',
    summary:
      'Mails again whoever opened nothing, some hours after the first mail, under this subject',
    params,
    body: z.strictObject({
      subject: line(SUBJECT_MOST, 1),
      hours: z.number().int().min(RESEND_HOURS_LEAST).max(RESEND_HOURS_MOST),
    }),
    answer: one,
    errors: { resend_started: 409, resend_of_resend: 409, campaign_cancelled: 409 },
  },
  cancelResend: {
    method: 'DELETE',
    path: '/client-api/api/campaigns/{id}/resend',
    who: 'account',
    summary: 'Takes back a resend that has not started',
    params,
    answer: one,
    errors: { resend_started: 409 },
  },
});
