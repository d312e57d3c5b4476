// Removes erased subscribers' addresses from conditions, replaced by an impossible address. The
// segment selects the same subscribers as before, since the person is gone; removing the condition
// would select everyone.
import type { Tx } from '#platform/server/database/database.ts';
import type { Condition } from '../shared.ts';
import { findSegments, replaceTexts } from './segments.sql.ts';

const ERASED = { email: 'erased@invalid', phone: '+000000000000000' };
/** This many trailing digits identify a number, however it is written. */
const SIGNIFICANT_DIGITS = 8;
/** Conditions on text; dates and ids are not addresses. */
export const TEXT_TYPES: ReadonlySet<string> = new Set([
  'email',
  'phone',
  'firstname',
  'lastname',
  'text',
]);

/** Handler of `subscriber.erased`. */
export async function eraseNamed(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<void> {
  for (const { id, title, conditions } of await findSegments(tx, accountId)) {
    const erased = withoutAddresses(conditions, addresses);
    const renamed = withoutAddressesIn(title, addresses);
    if (!erased && renamed === title) continue;
    const change = { title: renamed, conditions: erased ?? conditions };
    await replaceTexts(tx, accountId, id, change);
  }
}

/** The conditions with these addresses replaced; undefined if none contains them. */
export function withoutAddresses(
  conditions: readonly Condition[],
  addresses: readonly string[],
): Condition[] | undefined {
  let hasAny = false;
  const eraseFrom = (value: string) => {
    const address = addresses.find((address) => isSame(value, address));
    if (address !== undefined) hasAny = true;
    return address === undefined ? value : erasedAddress(address);
  };
  const changed = conditions.map((condition) =>
    TEXT_TYPES.has(condition.type)
      ? { ...condition, operand: eraseFrom(condition.operand), more: condition.more.map(eraseFrom) }
      : condition,
  );
  return hasAny ? changed : undefined;
}

const erasedAddress = (address: string) => (address.includes('@') ? ERASED.email : ERASED.phone);

function isSame(value: string, address: string): boolean {
  if (address.includes('@')) return value.trim().toLowerCase() === address;
  const end = digitsOf(value).slice(-SIGNIFICANT_DIGITS);
  const isNumber = /^[+\d\s().-]+$/.test(value) && end.length === SIGNIFICANT_DIGITS;
  return isNumber && end === digitsOf(address).slice(-SIGNIFICANT_DIGITS);
}

const digitsOf = (text: string) => text.replace(/\D/g, '');

/** The title with these addresses replaced. */
export const withoutAddressesIn = (title: string, addresses: readonly string[]): string =>
  addresses.reduce(withoutAddress, title);

/** In a title the address is among other words. */
function withoutAddress(title: string, address: string): string {
  const alone = `(?<![\\w.%+-])${RegExp.escape(address)}(?![\\w-]|\\.\\w)`;
  return title.replace(new RegExp(alone, 'giu'), erasedAddress(address));
}
