// Lists the limits by which the deliverability autopilot slowed a campaign.
import type { CampaignLimit } from '#areas/deliverability/pilot-contract.ts';
import { listMessageLimits } from '#areas/deliverability/server/index.ts';
import { findMessagesOfLead } from '#areas/delivery/server/ledger/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { getCampaignRow } from './campaigns.ts';

/** Returns no limits for a campaign that was not sent. */
export async function listLimits(
  db: Reader,
  accountId: number,
  id: number,
): Promise<CampaignLimit[]> {
  const { message_id: lead } = await getCampaignRow(db, accountId, id);
  if (lead === null) return [];
  return listMessageLimits(db, accountId, await findMessagesOfLead(db, accountId, lead));
}
