// Replaces the addresses of erased subscribers in conditions and titles by an impossible address.
// The segment selects the same subscribers as before because the erased one is gone; without the
// condition, it could select all.
import type { Tx } from '#platform/server/database/database.ts';
import type { SubscriberAddresses } from '#platform/server/database/address-search.sql.ts';
import { parseFilter, writeFilter } from '../filter-grammar.ts';
import type { Condition } from '../shared.ts';
import { findSegments, replaceTexts } from './segments.sql.ts';

const ERASED = { email: 'erased@invalid', phone: '+000000000000000' };
/** Number of trailing digits that identify a phone number in any notation. */
const SIGNIFICANT_DIGITS = 8;
/** Conditions on text; dates and ids are not addresses. */
export const TEXT_TYPES: ReadonlySet<string> = new Set([
  'email',
  'phone',
  'firstname',
  'lastname',
  'text',
]);

/** Handles `subscriber.erased`: replaces the addresses in the titles and conditions of segments. */
export async function eraseNamed(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<void> {
  for (const { id, title, conditions } of await findSegments(tx, accountId)) {
    const erasedConditions = eraseAddresses(conditions, addresses);
    const newTitle = eraseAddressesIn(title, addresses);
    if (!erasedConditions && newTitle === title) continue;
    const change = { title: newTitle, conditions: erasedConditions ?? conditions };
    await replaceTexts(tx, accountId, id, change);
  }
}

/** Returns the conditions with these addresses replaced, or undefined if none contains them. */
export function eraseAddresses(
  conditions: readonly Condition[],
  addresses: readonly string[],
): Condition[] | undefined {
  let hasAny = false;
  const eraseFrom = (value: string) => {
    const address = addresses.find((address) => isSame(value, address));
    if (address !== undefined) hasAny = true;
    return address === undefined ? value : erasedAddress(address);
  };
  const changedConditions = conditions.map((condition) =>
    TEXT_TYPES.has(condition.type)
      ? { ...condition, operand: eraseFrom(condition.operand), more: condition.more.map(eraseFrom) }
      : condition,
  );
  return hasAny ? changedConditions : undefined;
}

const erasedAddress = (address: string) => (address.includes('@') ? ERASED.email : ERASED.phone);

function isSame(value: string, address: string): boolean {
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

/**
 * Returns the filter with these addresses replaced; a filter without them is returned unchanged.
 */
export function eraseAddressesInFilter(filter: string, addresses: readonly string[]): string {
  const { conditions, droppedCount } = parseFilter(filter);
  if (droppedCount > 0) return withoutAddressesInText(filter, addresses);
  const erasedValue = eraseAddresses(conditions, addresses);
  return erasedValue ? writeFilter(erasedValue) : filter;
}

/**
 * A filter with malformed conditions, or one that is too long to be parsed, is changed as plain
 * text, so that these conditions remain as they are. The joined text is searched once more, because
 * an address that contains a separator spans several values.
 */
function withoutAddressesInText(filter: string, addresses: readonly string[]): string {
  const values = filter.split(/(,|__[A-Za-z]+__)/).map((value) => {
    const decodedValue = decodeValidParts(value);
    const address = addresses.find((address) => isSame(decodedValue, address));
    const erasedValue =
      address === undefined ? eraseAddressesIn(decodedValue, addresses) : erasedAddress(address);
    return erasedValue === decodedValue ? value : encodeURIComponent(erasedValue);
  });
  return eraseAddressesIn(values.join(''), addresses);
}

/** Decodes a value, except for malformed sequences. */
const decodeValidParts = (value: string): string =>
  value.replace(/(?:%[\dA-Fa-f]{2})+/g, (sequence) => {
    try {
      return decodeURIComponent(sequence);
    } catch {
      return sequence;
    }
  });
