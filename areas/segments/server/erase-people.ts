// Replaces the addresses of erased subscribers in conditions and titles by an impossible address.
// The segment then selects the same subscribers as before, because the erased one is gone. Removing
// the condition instead could make it select all subscribers.
import type { Tx } from '#platform/server/database/database.ts';
import {
  eraseAddressesIn,
  erasedAddress,
  isSameAddress,
} from '#platform/server/erasure/addresses.ts';
import { parseFilter, writeFilter } from '../filter-grammar.ts';
import type { Condition } from '../shared.ts';
import { findSegments, replaceTexts } from './segments.sql.ts';

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
    const address = addresses.find((address) => isSameAddress(value, address));
    const erasedValue =
      address === undefined ? eraseAddressesIn(value, addresses) : erasedAddress(address);
    hasAny ||= erasedValue !== value;
    return erasedValue;
  };
  const changedConditions = conditions.map((condition) =>
    TEXT_TYPES.has(condition.type)
      ? { ...condition, operand: eraseFrom(condition.operand), more: condition.more.map(eraseFrom) }
      : condition,
  );
  return hasAny ? changedConditions : undefined;
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
    const address = addresses.find((address) => isSameAddress(decodedValue, address));
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
