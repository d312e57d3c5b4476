// What campaigns announce upward, each in the transaction of what it tells.
import { defineEvent } from '#platform/server/events.ts';

/**
 * Its time came, and it could not leave: it is a draft again, or it is its resend that ended (`isResend`).
 * Its owner is to be told.
 */
export const campaignNotStarted = defineEvent<{
  accountId: number;
  campaignId: number;
  subject: string;
  isResend: boolean;
  at: Date;
}>('campaign.not_started');

/** A campaign is there that was not: made anew, or as a copy. */
export const campaignCreated = defineEvent<{ accountId: number; campaignId: number }>(
  'campaign.created',
);
