// Erased people leave what imports keep: the rows that were refused, and the samples of forecasts.
import type { Tx } from '#platform/server/database.ts';
import { blankRejections, deleteForecasts } from './forget-people.sql.ts';

/** So many digits at its end tell a number apart, however a file writes it. */
const TELLING_DIGITS = 8;

/** Handler of `subscriber.erased`. */
export async function forgetPeople(
  tx: Tx,
  erased: { accountId: number; addresses: string[] },
): Promise<void> {
  const { accountId, addresses } = erased;
  const emails = addresses.filter((address) => address.includes('@'));
  const digits = addresses
    .filter((address) => !address.includes('@'))
    .map((number) => number.replace(/\D/g, '').slice(-TELLING_DIGITS));
  await blankRejections(tx, accountId, { emails, digits });
  await deleteForecasts(tx, accountId, addresses);
}
