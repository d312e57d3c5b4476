// What campaigns announce upward, each in the transaction of what it tells.
import { defineEvent } from '#platform/server/events.ts';

/** Its time came, and it could not leave: it is a draft again, and its owner is to be told. */
export const campaignNotStarted = defineEvent<{
  accountId: number;
  campaignId: number;
  subject: string;
  at: Date;
}>('campaign.not_started');
