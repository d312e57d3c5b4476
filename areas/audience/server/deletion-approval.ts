// Approval of deletions of subscribers: what a request shows, and which selection it covers.
import type { RawBuilder } from 'kysely';
import { readAccount } from '#areas/accounts/server/index.ts';
import {
  type ApprovalKind,
  expireAffectedRequests,
  type OutlineLine,
  releaseAction,
} from '#areas/approvals/server/index.ts';
import { readConditions } from '#areas/segments/filter-grammar.ts';
import { describeConditions, readContext, eraseAddresses } from '#areas/segments/server/index.ts';
import {
  listSelectedAfter,
  countChosen,
  readSubscribers,
} from '#areas/subscribers/server/index.ts';
import { isLanguage } from '#platform/languages.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { serverTexts } from '#platform/server/texts.ts';
import {
  applyInCallerTransaction,
  type FrozenSelection,
  freezeSelection,
  type BulkSelection,
  toSelection,
  toStoredSelection,
  compileSelection,
} from './bulk.ts';
import { findSubscribersNamed } from './public-subscribers.ts';
import { hashSelection, createSelectionId } from './selection-id.ts';

/** Number of subscribers that the screen of a request names. */
const MAX_SHOWN = 20;

type Input = Record<string, unknown>;
/** The public API also identifies subscribers by their addresses. */
type RequestedSelection = Omit<BulkSelection, 'subscribers'> & {
  subscribers?: (number | string)[];
};
type StoredSelection = {
  subscribers?: number[];
  conditions: unknown[];
  search?: string;
  as_of: string;
};

const NAME = 'subscribers_delete';

/**
 * An approval is valid for the selection at the time of the request: subscribers added later are
 * not part of it. Existing subscribers may start to match the selection, so the approval has a
 * ceiling.
 */
export const deletionApproval: ApprovalKind = {
  name: NAME,
  idKind: 'selection',
  isAboutPeople: true,
  identify: async (tx, accountId, input) => {
    const { subscribers, ...rest } = input as RequestedSelection;
    const ids = subscribers && (await listIds(tx, accountId, subscribers));
    const order = freezeSelection(ids ? { subscribers: ids } : rest);
    return { subject: createSelectionId(toSelection(order)), input: toStoredSelection(order) };
  },
  // A selection is not an object, so nothing is locked.
  lock: async () => undefined,
  requirePossible: async (tx, accountId, _, input) => {
    const where = await compileSelection(tx, accountId, readSelection(input));
    if ((await countChosen(tx, accountId, where)) > 0) return;
    throw new AppError('no_subscribers_selected');
  },
  readFacts: async (tx, accountId, _, input) => {
    const order = readSelection(input);
    const count = await countChosen(tx, accountId, await compileChosen(tx, accountId, order));
    const language = await readAccountLanguage(tx, accountId);
    return {
      title: serverTexts('audience', language)('delete_request', { count }),
      path: '/subscribers',
      digest: computeDigest(order),
      hasCeiling: true,
      audience: { count, total: count, excluded: [] },
      ...{ scheduled: null, passesAt: null, cost: null, findings: [], previews: [], hosts: [] },
      outline: await describeOutline(tx, accountId, order, language),
    };
  },
  computeDigest: async (tx, accountId, _, input) => {
    const order = readSelection(input);
    await compileChosen(tx, accountId, order);
    return computeDigest(order);
  },
  readPreviousOutline: async () => undefined,
  listSubscribers: async (tx, accountId, input) => {
    const where = await compileChosen(tx, accountId, readSelection(input));
    const ids = await listSelectedAfter(tx, accountId, where, 0, MAX_SHOWN);
    const rows = await readSubscribers(tx, accountId, ids);
    return rows
      .map(({ id, email, phone }) => ({ id, title: email ?? phone ?? '' }))
      .sort((a, b) => a.id - b.id);
  },
  run: async (tx, { accountId }, subject, input, { id, ceiling: most }) => {
    const approval = most === null ? undefined : { id, subject, most };
    const order = readSelection(input);
    const isQueued = await applyInCallerTransaction(
      tx,
      accountId,
      order,
      { kind: 'delete' },
      approval,
    );
    if (!isQueued) await releaseAction(tx, accountId, { id, kind: NAME, subject });
  },
};

/**
 * Returns the ids of the requested subscribers. The request stores ids instead of addresses, so
 * that an erasure need not change it.
 */
async function listIds(
  tx: Tx,
  accountId: number,
  references: readonly (number | string)[],
): Promise<number[]> {
  const ids = references.filter((reference) => typeof reference === 'number');
  const addresses = references.filter((reference) => typeof reference === 'string');
  if (addresses.length > 0)
    ids.push(...(await findSubscribersNamed(tx, accountId, addresses)).found.keys());
  return [...new Set(ids)].sort((a, b) => a - b);
}

const SIGNIFICANT_DIGITS = 8;

const computeDigest = (order: FrozenSelection): string =>
  hashSelection(toSelection(order)).toString('base64url');

/** Handles `subscriber.erased`: expires open requests that name an erased address. */
export const expireRequestsForAddresses = (
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<void> =>
  expireAffectedRequests(tx, accountId, NAME, (input) => {
    const { conditions = [], search = '' } = input as Partial<StoredSelection>;
    return (
      eraseAddresses(readConditions(conditions).conditions, addresses) !== undefined ||
      addresses.some((address) => isNaming(search.trim().toLowerCase(), address))
    );
  });

/**
 * Matches a search for the whole address, for a beginning of it that contains the part before the
 * @, or for the end of a phone number.
 */
function isNaming(search: string, address: string): boolean {
  if (!address.includes('@')) return endOf(search) !== '' && endOf(search) === endOf(address);
  const name = address.slice(0, address.lastIndexOf('@'));
  return search.includes(address) || (search.startsWith(name) && address.startsWith(search));
}

/** Returns the digits that identify a phone number in any notation; '' if there are fewer. */
function endOf(number: string): string {
  const digits = number.replace(/\D/g, '');
  return digits.length < SIGNIFICANT_DIGITS ? '' : digits.slice(-SIGNIFICANT_DIGITS);
}

function readSelection(input: Input): FrozenSelection {
  const { as_of, conditions, ...rest } = input as StoredSelection;
  return { ...rest, conditions: readConditions(conditions).conditions, asOf: new Date(as_of) };
}

/** @throws not_found if a group, field or event in its conditions was deleted */
async function compileChosen(
  db: Reader,
  accountId: number,
  order: FrozenSelection,
): Promise<RawBuilder<boolean>> {
  try {
    return await compileSelection(db, accountId, order);
  } catch (error) {
    if (error instanceof AppError && error.code === 'conditions_malformed') throw notFound();
    throw error;
  }
}

export async function readAccountLanguage(db: Reader, accountId: number) {
  const { language } = await readAccount(db, accountId);
  return isLanguage(language) ? language : 'eng';
}

async function describeOutline(
  db: Reader,
  accountId: number,
  { subscribers, conditions, search, asOf }: FrozenSelection,
  language: Awaited<ReturnType<typeof readAccountLanguage>>,
): Promise<OutlineLine[]> {
  if (subscribers) return [];
  const lines: string[] = [];
  if (conditions.length > 0) {
    const { titles } = await readContext(db, accountId, conditions, asOf);
    lines.push(describeConditions(conditions, titles, language));
  }
  if (search) lines.push(`“${search}”`);
  if (lines.length === 0) lines.push('*');
  return lines.map((text) => ({ part: 'condition' as const, text }));
}
