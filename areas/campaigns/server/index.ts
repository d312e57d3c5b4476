// The door of campaigns: what higher floors and main/ may call.
import { markAccount } from '#areas/accounts/server/index.ts';
import type { Tx } from '#platform/server/database.ts';
import * as store from './campaigns.sql.ts';

export { startDueCampaigns } from './due-campaigns.ts';
export type { SendingOptions } from './message.ts';
export { campaignRoutes } from './routes.ts';

/** Hears delivery's first hand-over of a message: the campaign is SENT, the onboarding step done. */
export async function campaignHandedOver(
  tx: Tx,
  facts: { accountId: number; messageId: number; kind: string; at: Date },
): Promise<void> {
  if (facts.kind !== 'campaign') return;
  if (await store.markSent(tx, facts.accountId, facts.messageId, facts.at)) {
    await markAccount(tx, facts.accountId, 'email_sent_at');
  }
}
