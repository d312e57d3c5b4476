// Resends to non-openers.
import { z } from 'zod';
import { defineCalls, line } from '#platform/contract.ts';
import { CampaignResponse, params } from './campaign-contract.ts';
import { MIN_RESEND_HOURS, MAX_RESEND_HOURS, MAX_SUBJECT } from './shared.ts';

export const resendCalls = defineCalls({
  setResend: {
    method: 'PUT',
    path: '/client-api/api/campaigns/{id}/resend',
    caller: 'account',
    requiredRight: 'send',
    approval: { kind: 'campaign_resend', requesterRight: 'drafts' },
    audit: ['subject', 'hours'],
    summary: 'Schedule a resend to non-openers',
    description:
      'Sends the campaign again with the given subject, the given number of hours after its last email.',
    params,
    body: z.strictObject({
      subject: line(MAX_SUBJECT, 1),
      hours: z.number().int().min(MIN_RESEND_HOURS).max(MAX_RESEND_HOURS),
    }),
    response: CampaignResponse,
    errors: { resend_started: 409, resend_of_resend: 409, campaign_cancelled: 409 },
  },
  cancelResend: {
    method: 'DELETE',
    path: '/client-api/api/campaigns/{id}/resend',
    caller: 'account',
    requiredRight: 'send',
    summary: 'Cancel the scheduled resend',
    params,
    response: CampaignResponse,
    errors: { resend_started: 409 },
  },
});
