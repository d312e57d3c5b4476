// Removes erased subscribers from imports: blanks the text of rejected rows and deletes forecasts
// that contain one of their addresses.
import type { Tx } from '#platform/server/database/database.ts';
import { blankRowIssueTexts, deleteForecastsNaming } from './erase-people.sql.ts';

/** Number of trailing digits that identify a phone number in any notation. */
const SIGNIFICANT_DIGITS = 8;

/** Handles `subscriber.erased`. */
export async function eraseFromImports(
  tx: Tx,
  subject: { accountId: number; addresses: string[] },
): Promise<void> {
  const { accountId, addresses } = subject;
  const emails = addresses.filter((address) => address.includes('@'));
  const digits = addresses
    .filter((address) => !address.includes('@'))
    .map((number) => number.replace(/\D/g, '').slice(-SIGNIFICANT_DIGITS));
  await blankRowIssueTexts(tx, accountId, { emails, digits });
  await deleteForecastsNaming(tx, accountId, addresses);
}
