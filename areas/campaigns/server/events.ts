// Events of campaigns for higher areas, each published in the transaction of its change.
import { defineEvent } from '#platform/server/events.ts';

/**
 * A due campaign could not be sent and is a draft again, or a due resend could not be sent and
 * ended (`isResend`). The handler notifies users of the account.
 */
export const campaignNotStarted = defineEvent<{
  accountId: number;
  campaignId: number;
  subject: string;
  isResend: boolean;
  at: Date;
}>('campaign.not_started');

/** A campaign was created, also as a duplicate. */
export const campaignCreated = defineEvent<{ accountId: number; campaignId: number }>(
  'campaign.created',
);
