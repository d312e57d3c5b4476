// Finds the sender (phone) of an account that an incoming SMS was sent to, by the number as the
// provider writes it, with or without a country code.
import { getCountries } from 'libphonenumber-js/max';
import { parsePhone, findPhoneCountry } from '#areas/subscribers/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { findOnlyOwner, findOwner, type OwnedPhone } from './phone-owners.sql.ts';
import { listOwnNumbers } from './phones.sql.ts';

/**
 * Converts a number to E.164, as phones store it; a short code or an invalid number remains as it
 * is.
 */
export function normalizeNumber(recipientNumber: string): string {
  const number = parsePhone(recipientNumber);
  return typeof number === 'string' ? recipientNumber : number.phone;
}

/**
 * Finds the phone with this number.
 * @param onlyAccountId the account whose own provider delivered the SMS: only its phones are
 *   searched. Undefined if a provider of the installation delivered it: then the phone that owns
 *   the number is returned, unless the proof of ownership is only an account's own provider.
 */
export async function findReceivingPhone(
  db: Reader,
  recipientNumber: string,
  onlyAccountId: number | undefined,
): Promise<OwnedPhone | undefined> {
  const key = normalizeNumber(recipientNumber);
  if (onlyAccountId !== undefined) {
    const phones = await listOwnNumbers(db, onlyAccountId);
    return (
      phones.find((phone) => phone.value === key) ??
      phones.find((phone) => isAlike(phone, recipientNumber))
    );
  }
  const owner =
    (await findOwner(db, key)) ?? (await findOnlyOwner(db, listPossibleNumbers(recipientNumber)));
  return owner?.proof === 'provider' ? undefined : owner;
}

/**
 * Returns whether the recipient's number is the phone's number in the national format of its
 * country.
 */
function isAlike(phone: OwnedPhone, recipientNumber: string): boolean {
  const number = parsePhone(recipientNumber, findPhoneCountry(phone.value));
  return typeof number === 'object' && number.phone === phone.value;
}

const COUNTRIES = getCountries();
const NATIONAL = /^\d{6,14}$/;

/**
 * Returns the E.164 numbers that digits without a country code may mean: one for each country where
 * they are valid.
 */
export function listPossibleNumbers(recipientNumber: string): string[] {
  if (!NATIONAL.test(recipientNumber)) return [];
  const numbers = COUNTRIES.map((country) => parsePhone(recipientNumber, country));
  return [
    ...new Set(numbers.flatMap((number) => (typeof number === 'object' ? [number.phone] : []))),
  ];
}
