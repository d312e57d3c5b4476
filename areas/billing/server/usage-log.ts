// The log of an account's email usage, by campaign.
import type { Tx } from '#platform/server/database/database.ts';
import { saveUsage } from './billing.sql.ts';
import { isOn } from './settings.ts';

/**
 * Records the emails sent by a finished message. A repeat for the same `source` replaces the
 * count.
 */
export async function recordSentEmails(
  tx: Tx,
  usage: { accountId: number; emails: number; label: string; source: string; at: Date },
): Promise<void> {
  if (!isOn() || usage.emails === 0) return;
  await saveUsage(tx, { ...usage, emails: -usage.emails });
}
