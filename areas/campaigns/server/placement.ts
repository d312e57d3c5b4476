// The placement of a campaign's copies (inbox or spam) in the account's seed mailboxes, and its
// spam rate at Gmail.
import type { CampaignEvidence } from '#areas/deliverability/placement-contract.ts';
import { collectEvidence } from '#areas/deliverability/server/index.ts';
import { findMessagesOfLead } from '#areas/delivery/server/ledger/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { getCampaignRow } from './campaigns.ts';

/** Returns no placements for a campaign that was not sent. */
export async function readPlacement(
  db: Reader,
  accountId: number,
  id: number,
): Promise<CampaignEvidence> {
  const { message_id: lead } = await getCampaignRow(db, accountId, id);
  if (lead === null) return { placements: [], gmail: null };
  return collectEvidence(db, accountId, await findMessagesOfLead(db, accountId, lead));
}
