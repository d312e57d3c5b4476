// Finds addresses and phone numbers of erased subscribers in text, in any notation, and replaces
// them by an address and a number that no subscriber has.
import type { SubscriberAddresses } from '../database/address-search.sql.ts';

const ERASED = { email: 'erased@invalid', phone: '+000000000000000' };
/** Number of trailing digits that identify a phone number in any notation. */
const SIGNIFICANT_DIGITS = 8;

export const erasedAddress = (address: string) =>
  address.includes('@') ? ERASED.email : ERASED.phone;

/** Returns true if the whole value is this address, in any notation. */
export function isSameAddress(value: string, address: string): boolean {
  if (address.includes('@')) return value.trim().toLowerCase() === address;
  const end = endOfNumber(value);
  const isNumber = /^[+\d\s().-]+$/.test(value) && end.length === SIGNIFICANT_DIGITS;
  return isNumber && end === endOfNumber(address);
}

/** Returns the digits that identify a number. */
const endOfNumber = (number: string): string => digitsOf(number).slice(-SIGNIFICANT_DIGITS);

const digitsOf = (text: string) => text.replace(/\D/g, '');

/** Returns the email addresses, and the final digits of the phone numbers, for searching text. */
export const describeNaming = (addresses: readonly string[]): SubscriberAddresses => ({
  emails: addresses.filter((address) => address.includes('@')),
  phoneDigits: addresses.filter((address) => !address.includes('@')).map(endOfNumber),
});

/** Returns the title or note with these addresses replaced. */
export const eraseAddressesIn = (text: string, addresses: readonly string[]): string =>
  addresses.reduce(withoutAddress, text);

export const namesAddress = (text: string, addresses: readonly string[]): boolean =>
  eraseAddressesIn(text, addresses) !== text;

/** Returns a PostgreSQL pattern of these addresses, for content too large to be read here. */
export const buildAddressPattern = (addresses: readonly string[]): string =>
  addresses
    .map((address) =>
      address.includes('@')
        ? `(?<![\\w.%+-])${address.replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&')}(?![\\w-]|\\.\\w)`
        : `${[...endOfNumber(address)].join(SEPARATORS)}(?!\\d)`,
    )
    .join('|');

/** Replaces an address among the words of a text. */
function withoutAddress(text: string, address: string): string {
  const alone = address.includes('@')
    ? `(?<![\\w.%+-])${RegExp.escape(address)}(?![\\w-]|\\.\\w)`
    : `(?<![\\w+])${numberPattern(address)}(?!\\w)`;
  return text.replace(new RegExp(alone, 'giu'), erasedAddress(address));
}

const SEPARATORS = String.raw`[\s().\-]*`;
/** The prefix of an international or a national number. */
const PREFIX = String.raw`(?:(?:\+|00|[08])${SEPARATORS})?`;

/** Returns the number in any notation, with or without its first digits. */
function numberPattern(number: string): string {
  const end = endOfNumber(number);
  const start = digitsOf(number).slice(0, -SIGNIFICANT_DIGITS);
  const optional = [...start].reduce((before, digit) => `(?:${before}${digit}${SEPARATORS})?`, '');
  return `${PREFIX}${optional}${[...end].join(SEPARATORS)}`;
}
