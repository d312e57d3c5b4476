// Erased people leave what their owner once asked for: where a condition names one of their addresses,
// nobody's stands instead. It chooses whom it chose before, for the person is gone; without the
// condition it would choose everybody.
import type { Tx } from '#platform/server/database.ts';
import type { Condition } from '../limits.ts';
import { findSegments, replaceWords } from './segments.sql.ts';

const NOBODY = { email: 'erased@invalid', phone: '+000000000000000' };
/** So many digits at its end tell a number apart, however it is written. */
const TELLING_DIGITS = 8;
/** Conditions on words; dates and ids are no addresses. */
const WORDS: ReadonlySet<string> = new Set(['email', 'phone', 'firstname', 'lastname', 'text']);

/** Handler of `subscriber.erased`. */
export async function forgetNamed(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<void> {
  for (const { id, title, conditions } of await findSegments(tx, accountId)) {
    const forgotten = withoutAddresses(conditions, addresses);
    const renamed = addresses.reduce(withoutAddress, title);
    if (!forgotten && renamed === title) continue;
    const words = { title: renamed, conditions: forgotten ?? conditions };
    await replaceWords(tx, accountId, id, words);
  }
}

/** The conditions with nobody's address for these; undefined where they name none of them. */
export function withoutAddresses(
  conditions: readonly Condition[],
  addresses: readonly string[],
): Condition[] | undefined {
  let hasAny = false;
  const forgotten = (value: string) => {
    const address = addresses.find((one) => isSame(value, one));
    if (address !== undefined) hasAny = true;
    return address === undefined ? value : nobodyFor(address);
  };
  const changed = conditions.map((one) =>
    WORDS.has(one.type)
      ? { ...one, operand: forgotten(one.operand), more: one.more.map(forgotten) }
      : one,
  );
  return hasAny ? changed : undefined;
}

const nobodyFor = (address: string) => (address.includes('@') ? NOBODY.email : NOBODY.phone);

function isSame(value: string, address: string): boolean {
  if (address.includes('@')) return value.trim().toLowerCase() === address;
  const end = digitsOf(value).slice(-TELLING_DIGITS);
  const isNumber = /^[+\d\s().-]+$/.test(value) && end.length === TELLING_DIGITS;
  return isNumber && end === digitsOf(address).slice(-TELLING_DIGITS);
}

const digitsOf = (text: string) => text.replace(/\D/g, '');

/** In a title it stands among words. */
function withoutAddress(title: string, address: string): string {
  const alone = `(?<![\\w.%+-])${RegExp.escape(address)}(?![\\w-]|\\.\\w)`;
  return title.replace(new RegExp(alone, 'giu'), nobodyFor(address));
}
