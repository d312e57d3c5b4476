// Recipients of campaigns: groups and segments as for every broadcast; non-openers for a resend.
import { listMessagesOfBroadcasts, readChosen } from '#areas/broadcasts/server/index.ts';
import { type Audience, findMessagesOfLead } from '#areas/delivery/server/ledger/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { MIN_RESEND_HOURS } from '../shared.ts';
import { type CampaignRow, TABLES } from './campaigns.sql.ts';
import { readResends } from './resends.sql.ts';

const HOUR_MS = 3_600_000;

/**
 * The part of the broadcast kind "campaign" that counting and checking of recipients need. It does
 * not depend on the installation's configuration.
 */
export const recipientsAdapter = {
  tables: TABLES,
  findFixedAudience: async (db: Reader, row: CampaignRow) =>
    row.resend_of === null ? undefined : readNonOpeners(db, row.account_id, row.resend_of),
};

/**
 * Returns the audience of a resend: subscribers to whom the first email was delivered at least
 * `delay_hours` ago and who did not open it. The same applies after the resend becomes a draft
 * again.
 */
async function readNonOpeners(
  db: Reader,
  accountId: number,
  firstId: number,
): Promise<Partial<Audience>> {
  const [first] = await listMessagesOfBroadcasts(db, TABLES, accountId, [firstId]);
  const [resend] = await readResends(db, accountId, [firstId]);
  const hours = resend?.delay_hours ?? MIN_RESEND_HOURS;
  const lead = first?.messageId;
  const messageIds = lead ? await findMessagesOfLead(db, accountId, lead) : [];
  return {
    // 0 if the first message was deleted: the audience is then empty. Members of the holdout group
    // received no email, so they are not in it either.
    unopened: messageIds.length > 1 ? messageIds : (messageIds[0] ?? 0),
    acceptedBy: new Date(clock.now().getTime() - hours * HOUR_MS).toISOString(),
  };
}

/** Lists the titles of included and excluded groups of some campaigns. */
export const listCampaignGroupRows = (
  db: Reader,
  accountId: number,
  campaignIds: readonly number[],
) => readChosen(db, TABLES, 'groups', accountId, campaignIds);
