// What campaigns took of the month's emails, for the account's log.
import type { Tx } from '#platform/server/database.ts';
import { saveUsage } from './billing.sql.ts';
import { isOn } from './settings.ts';

/** A message is over: so many emails of it left. Said again for the same `source`, the newer count stands. */
export async function noteSent(
  tx: Tx,
  sent: { accountId: number; emails: number; label: string; source: string; at: Date },
): Promise<void> {
  if (!isOn() || sent.emails === 0) return;
  await saveUsage(tx, { ...sent, emails: -sent.emails });
}
