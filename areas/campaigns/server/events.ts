// Events of campaigns for higher areas, each published in the transaction of its change.
import { defineEvent } from '#platform/server/events.ts';

/** A due resend could not be sent and ended. The handler notifies users of the account. */
export const resendNotStarted = defineEvent<{
  accountId: number;
  /** The campaign that was to be resent, not the resend. */
  campaignId: number;
  subject: string;
  at: Date;
}>('resend.not_started');

/** A campaign was created, also as a duplicate. */
export const campaignCreated = defineEvent<{ accountId: number; campaignId: number }>(
  'campaign.created',
);
