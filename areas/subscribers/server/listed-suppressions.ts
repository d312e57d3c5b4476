// The suppression list of an account: rows name the subscriber who has the address, are found by a
// full address, and can be removed if the reason allows it.
import type { ListRequest } from '#platform/contract.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { AppError } from '#platform/server/errors.ts';
import {
  getAddressField,
  type Channel,
  mayBeLifted,
  SUPPRESSION_REASONS,
  type SuppressionReason,
} from '../shared.ts';
import { toAddressKey } from './opt-outs.ts';
import { findSubscribers, findIdsByAddress } from './people.sql.ts';
import { reactivate } from './statuses.ts';
import { findAddedAgain } from './statuses.sql.ts';
import { suppressionHash } from './suppression-hash.ts';
import {
  countSuppressions,
  deleteSuppressions,
  type ListedSuppression,
  listSuppressions,
} from './suppressions.sql.ts';

export type Suppression = {
  /** Identifies the row in calls: the hash in base64url. */
  hash: string;
  reason: SuppressionReason;
  at: Date;
  subscriber: { id: number; address: string } | undefined;
};

type Filter = { channel: Channel; reason?: SuppressionReason | undefined };

/** A search finds one full address, with or without a subscriber; other text finds nothing. */
export async function readSuppressions(
  db: Reader,
  accountId: number,
  list: ListRequest,
  criteria: Filter,
) {
  const key = list.search === undefined ? undefined : toAddressKey(criteria.channel, list.search);
  if (list.search !== undefined && key === undefined) {
    return buildListResponse(
      list,
      { rows: async () => [], total: async () => 0 },
      (row: never) => row,
    );
  }
  const filter = { ...criteria, hash: key === undefined ? undefined : suppressionHash(key) };
  const owner =
    key === undefined ? [] : await findIdsByAddress(db, accountId, kindOf(criteria.channel), [key]);
  return buildListResponse(
    list,
    {
      rows: (slice) =>
        listSuppressions(db, accountId, { ...filter, direction: list.direction }, slice),
      total: () => countSuppressions(db, accountId, filter),
    },
    (row) => {
      const subscriber = owner.map((id) => ({ id, address: key ?? '' }))[0];
      return presentRow(row, criteria.channel, subscriber);
    },
  );
}

function presentRow(
  row: ListedSuppression,
  channel: Channel,
  owner?: Suppression['subscriber'],
): Suppression {
  const subscriber = personOf(row, channel) ?? owner;
  const hash = row.address_hash.toString('base64url');
  return { hash, reason: row.reason, at: row.created_at, subscriber };
}

const ROWS_PER_PAGE = 2_000;

/** The whole list, newest first, page by page. */
export async function* listAllSuppressions(
  db: Reader,
  accountId: number,
  criteria: Filter,
): AsyncGenerator<Suppression[]> {
  let last: ListedSuppression | undefined;
  do {
    const filter = { ...criteria, ...(last && { after: last }) };
    const rows = await listSuppressions(db, accountId, filter, { limit: ROWS_PER_PAGE, offset: 0 });
    if (rows.length > 0) yield rows.map((row) => presentRow(row, criteria.channel));
    last = rows.at(ROWS_PER_PAGE - 1);
  } while (last);
}

/**
 * Returns the entry that suppresses an address on a channel, or undefined if there is none.
 * `address` is the address, or the hash that identifies the entry in calls.
 */
export async function findSuppression(
  db: Reader,
  accountId: number,
  channel: Channel,
  address: string,
): Promise<Suppression | undefined> {
  const key = toAddressKey(channel, address);
  const hash = key === undefined ? hashOf(address) : suppressionHash(key);
  if (!hash) return undefined;
  const [row] = await listSuppressions(db, accountId, { channel, hash }, { limit: 1, offset: 0 });
  if (!row) return undefined;
  return presentRow(row, channel);
}

/** Returns the stored hash of a row's identifier in calls. */
const hashOf = (address: string) =>
  /^[A-Za-z0-9_-]{43}$/.test(address) ? Buffer.from(address, 'base64url') : undefined;

const kindOf = (channel: Channel) => (getAddressField(channel) === 'email' ? 'email' : 'sms');

/** Returns the subscriber stored in a row, unless that subscriber's address has changed. */
function personOf(row: ListedSuppression, channel: Channel): Suppression['subscriber'] {
  const isEmail = getAddressField(channel) === 'email';
  const key = isEmail ? row.email_key : row.phone_key;
  const address = isEmail ? row.email : row.phone;
  if (row.id === null || key === null || address === null) return undefined;
  return suppressionHash(key).equals(row.address_hash) ? { id: row.id, address } : undefined;
}

/** Returns the subscriber who has the address now, if the row stores a deleted one. */
async function findReturned(
  tx: Tx,
  accountId: number,
  row: ListedSuppression,
  channel: Channel,
): Promise<number | undefined> {
  if (row.subscriber_id === null) return undefined;
  const ids = await findAddedAgain(tx, accountId, [row.subscriber_id], channel);
  const key = kindOf(channel) === 'email' ? 'email_key' : 'phone_key';
  const subscribers = await findSubscribers(tx, accountId, ids);
  return subscribers.find((subscriber) =>
    suppressionHash(subscriber[key] ?? '').equals(row.address_hash),
  )?.id;
}

/**
 * Allows the address again: after a bounce, or a suppression by the account itself. An unsubscribe
 * ends only by the subscriber's own act, a complaint or erasure never.
 */
export async function liftSuppression(
  tx: Tx,
  accountId: number,
  suppression: { channel: Channel; hash: string },
  userId: number,
): Promise<void> {
  const { channel } = suppression;
  const hash = Buffer.from(suppression.hash, 'base64url');
  const [row] = await listSuppressions(tx, accountId, { channel, hash }, { limit: 1, offset: 0 });
  if (!row) throw new AppError('not_found');
  if (!mayBeLifted(row.reason)) throw new AppError('suppression_kept');
  const id = personOf(row, channel)?.id ?? (await findReturned(tx, accountId, row, channel));
  if (id !== undefined) {
    const subscriberSet = { subscriberIds: [id] };
    const { skipped } = await reactivate(tx, accountId, subscriberSet, { channel, userId });
    if (skipped.length > 0) throw new AppError('suppression_no_consent');
  }
  await deleteSuppressions(tx, accountId, channel, [hash], LIFTED);
  // The subscriber's own opt-out may have arrived since then.
  const remaining = await countSuppressions(tx, accountId, { channel, hash });
  if (remaining > 0) throw new AppError('suppression_kept');
}

const LIFTED = SUPPRESSION_REASONS.filter(mayBeLifted);
