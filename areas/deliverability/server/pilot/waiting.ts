// Reports campaigns with emails that have waited for days because of the autopilot's limit. The
// owner is notified once and decides whether to wait, undo the limit or stop the campaign.
import type { Tx } from '#platform/server/database/database.ts';
import { pilotHolds } from '../events.ts';
import * as store from './pilot.sql.ts';

const WAIT_MS = 72 * 3_600_000;
/** How many reported campaigns are remembered. Earlier ones have finished sending. */
const MAX_REPORTED = 100;

/** @param row the locked row, so that only one of two processes notifies */
export async function reportWaiting(
  tx: Tx,
  accountId: number,
  row: store.PilotRow,
  now: number,
): Promise<void> {
  const { domain, mailbox, reported_campaigns: reportedCampaigns } = row;
  const at = { now: new Date(now), before: new Date(now - WAIT_MS) };
  const waiting = await store.listWaitingCampaigns(tx, accountId, row, at);
  const unreportedCampaigns = waiting.filter(
    ({ campaignId }) => !reportedCampaigns.includes(campaignId),
  );
  if (unreportedCampaigns.length === 0) return;
  const ids = [...reportedCampaigns, ...unreportedCampaigns.map(({ campaignId }) => campaignId)];
  await store.updatePilot(tx, accountId, row, { reported_campaigns: ids.slice(-MAX_REPORTED) });
  for (const campaign of unreportedCampaigns) {
    await pilotHolds.announce(tx, { accountId, domain, mailbox, ...campaign });
  }
}
