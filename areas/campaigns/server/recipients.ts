// Whom campaigns go to: groups and segments as every broadcast does, a resend whoever opened nothing.
import { readChosen } from '#areas/broadcasts/server/index.ts';
import type { Audience } from '#areas/delivery/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database.ts';
import { RESEND_HOURS_LEAST } from '../limits.ts';
import { type CampaignRow, messagesOfCampaigns, TABLES } from './campaigns.sql.ts';
import { readResends } from './resends.sql.ts';

const HOUR_MS = 3_600_000;

/** What whoever counts and checks recipients needs; nothing of it depends on the installation. */
export const recipientsOwner = {
  tables: TABLES,
  fixedAudience: async (db: Reader, row: CampaignRow) =>
    row.resend_of === null ? undefined : unopenedOf(db, row.account_id, row.resend_of),
};

/** A second try goes to whoever has had the first for its hours and opened nothing, also as a draft again. */
async function unopenedOf(
  db: Reader,
  accountId: number,
  firstId: number,
): Promise<Partial<Audience>> {
  const [first] = await messagesOfCampaigns(db, accountId, [firstId]);
  const [resend] = await readResends(db, accountId, [firstId]);
  const hours = resend?.delay_hours ?? RESEND_HOURS_LEAST;
  return {
    // A message that is not there was opened by nobody, and got by nobody.
    unopened: first?.messageId ?? 0,
    acceptedBy: new Date(clock.now().getTime() - hours * HOUR_MS).toISOString(),
  };
}

/** Groups in and out of some campaigns, with their titles. */
export const campaignGroupRows = (db: Reader, accountId: number, campaignIds: readonly number[]) =>
  readChosen(db, TABLES, 'groups', accountId, campaignIds);
