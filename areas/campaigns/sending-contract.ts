// The sending of a campaign, from its schedule to second tries.
import { z } from 'zod';
import { dataAnswer, defineCalls, line } from '#platform/contract.ts';
import { one, params } from './campaign-contract.ts';
import { RESEND_HOURS_LEAST, RESEND_HOURS_MOST, SUBJECT_MOST } from './limits.ts';

export const sendingCalls = defineCalls({
  scheduleCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/schedule',
    who: 'account',
    summary: "Sends at a wall time in the account's zone, or now (null). Repeats change nothing",
    params,
    body: z.strictObject({
      schedule_time: z.string().max(19).nullable().optional(),
      /** What its owner looked at: a campaign that was changed since is not sent. */
      revision: z.number().int().positive().optional(),
    }),
    answer: one,
    errors: {
      already_scheduled: 409,
      content_invalid: 422,
      nobody_to_send_to: 422,
      sender_not_verified: 422,
    },
    idempotent: true,
  },
  cancelCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/cancel',
    who: 'account',
    summary: 'Takes back a schedule, or stops a sending for good',
    params,
    answer: one,
    errors: { campaign_finished: 409 },
  },
  pauseCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/pause',
    who: 'account',
    summary: 'Pauses a sending',
    params,
    answer: one,
    errors: { campaign_not_sending: 409 },
  },
  resumeCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/resume',
    who: 'account',
    summary: 'Goes on with a paused sending',
    params,
    answer: one,
    errors: { campaign_not_sending: 409 },
  },
  retryCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/retry',
    who: 'account',
    summary:
      'Sends again to those who were refused for no fault of their own, or of whom nobody knows',
    params,
    body: z.strictObject({ which: z.enum(['failed', 'unknown']) }),
    answer: dataAnswer(z.object({ retried: z.number() })),
    errors: { campaign_not_sending: 409 },
    idempotent: true,
  },
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
