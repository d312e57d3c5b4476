// Finds the phone that an incoming SMS is for, from the number as the provider wrote it, with or
// without the country code.
import { getCountries } from 'libphonenumber-js/max';
import { parsePhone, phoneCountry } from '#areas/subscribers/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { findOnlyOwner, findOwner, type OwnedPhone } from './phone-owners.sql.ts';
import { phonesOf } from './phones.sql.ts';

/** The stored form of phones: E.164, or the digits of a short code. */
export function normalizeNumber(to: string): string {
  const number = parsePhone(to);
  return typeof number === 'string' ? to : number.phone;
}

/**
 * `only`: search this account's own phones, because its own provider delivered the SMS. Otherwise
 * the number's owner in the installation; an account's own provider proves nothing about numbers of
 * the installation.
 */
export async function findReceivingPhone(
  db: Reader,
  to: string,
  only: number | undefined,
): Promise<OwnedPhone | undefined> {
  const key = normalizeNumber(to);
  if (only !== undefined) {
    const phones = await phonesOf(db, only);
    return (
      phones.find((phone) => phone.value === key) ?? phones.find((phone) => isAlike(phone, to))
    );
  }
  const owner = (await findOwner(db, key)) ?? (await findOnlyOwner(db, possibleNumbers(to)));
  return owner?.proof === 'provider' ? undefined : owner;
}

/** Matches a number written in national format, by the phone's own country. */
function isAlike(phone: OwnedPhone, to: string): boolean {
  const number = parsePhone(to, phoneCountry(phone.value));
  return typeof number === 'object' && number.phone === phone.value;
}

const COUNTRIES = getCountries();
const NATIONAL = /^\d{6,14}$/;

/**
 * The E.164 numbers that digits without a country code can mean: one for each country where they
 * are valid.
 */
export function possibleNumbers(to: string): string[] {
  if (!NATIONAL.test(to)) return [];
  const numbers = COUNTRIES.map((country) => parsePhone(to, country));
  return [
    ...new Set(numbers.flatMap((number) => (typeof number === 'object' ? [number.phone] : []))),
  ];
}
