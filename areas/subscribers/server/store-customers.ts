// Batches of subscribers from stores and the API: one statement creates new subscribers, another
// statement fills blank names of existing subscribers.
import { countSubscribers, markAccount } from '#areas/accounts/server/index.ts';
import type { Cause } from '#platform/origins.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { CHANNELS, type Channel, getMailbox, type SuppressionReason } from '../shared.ts';
import { subscribersCreated, subscribersUpdated } from './events.ts';
import { hasSuppressions } from './import-people.sql.ts';
import { type CreatedSubscriber, fillBlankNames, insertSubscribers } from './people.sql.ts';
import { parseName } from './people.ts';
import { resolveFirstStatuses } from './person-addresses.ts';
import { findSuppressedOn } from './suppression.ts';

export type StoreSubscriber = {
  /** As parsed by parseEmail. */
  email: string;
  emailKey: string;
  /** As parsed by parsePhone. */
  phone: string | null;
  firstname: string | null;
  lastname: string | null;
  statuses: Partial<Record<Channel, 'active' | 'non-subscribed'>>;
  /** By field id. */
  fieldValues?: Record<string, string | number>;
};

type Creation = {
  source: string;
  cause: Cause;
  /**
   * True if the caller has looked up addresses and numbers and repeats its work after a unique
   * violation, caused by an address that another transaction created since then. If false, existing
   * addresses are omitted, at the cost of a check for each row.
   */
  isRepeated?: boolean;
};

/**
 * Creates these subscribers in one statement, each address once. Subscribers whose address or
 * number is suppressed or, unless `isRepeated`, exists are omitted; the caller handles them one by
 * one.
 */
export async function addStoreSubscribers(
  tx: Tx,
  accountId: number,
  subscribers: readonly StoreSubscriber[],
  { source, cause, isRepeated = false }: Creation,
): Promise<CreatedSubscriber[]> {
  if (subscribers.length === 0) return [];
  const suppressions = await suppressedOf(tx, accountId, subscribers);
  const at = clock.now();
  const free = subscribers.filter(
    ({ emailKey, phone }) => !suppressions.has(emailKey) && !(phone && suppressions.has(phone)),
  );
  const rows = await insertSubscribers(
    tx,
    accountId,
    free.map(({ email, emailKey, phone, firstname, lastname, statuses, fieldValues = {} }) => ({
      ...{ email, email_key: emailKey, phone, phone_key: phone, mailbox: getMailbox(emailKey) },
      ...{ firstname: parseName(firstname) ?? null, lastname: parseName(lastname) ?? null },
      ...resolveFirstStatuses({ emailKey, phoneKey: phone }, statuses, {}),
      field_values: JSON.stringify(fieldValues),
    })),
    { source, at, omitsExisting: !isRepeated },
  );
  if (rows.length === 0) return [];
  await countSubscribers(tx, accountId, rows.length);
  await markAccount(tx, accountId, 'subscriber_added_at');
  const subscriberIds = rows.map((row) => row.id);
  await subscribersCreated.announce(tx, { accountId, subscriberIds, source, ...cause });
  return rows;
}

async function suppressedOf(
  tx: Tx,
  accountId: number,
  subscribers: readonly StoreSubscriber[],
): Promise<Set<string>> {
  if (!(await hasSuppressions(tx, accountId))) return new Set();
  const keys = subscribers.flatMap(({ emailKey, phone }) =>
    phone ? [emailKey, phone] : [emailKey],
  );
  const suppressions: Map<Channel, Map<string, SuppressionReason>> = await findSuppressedOn(
    tx,
    accountId,
    CHANNELS,
    keys,
  );
  return new Set([...suppressions.values()].flatMap((reasons) => [...reasons.keys()]));
}

/** Fills blank names; existing names remain. */
export async function fillNames(
  tx: Tx,
  accountId: number,
  rows: readonly { id: number; firstname: string | null; lastname: string | null }[],
  cause: Cause,
): Promise<void> {
  const names = rows.map(({ id, firstname, lastname }) => ({
    ...{ id, firstname: parseName(firstname) ?? null, lastname: parseName(lastname) ?? null },
  }));
  if (names.length === 0) return;
  const subscriberIds = await fillBlankNames(tx, accountId, names, clock.now());
  if (subscriberIds.length > 0)
    await subscribersUpdated.announce(tx, { accountId, subscriberIds, fieldIds: [], ...cause });
}
