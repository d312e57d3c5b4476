// Creates and updates many subscribers with few statements, hardly more than for one subscriber.
import type { Cause } from '#platform/origins.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { Channel } from '../shared.ts';
import { subscribersUpdated } from './events.ts';
import { findExistingAddresses } from './import-people.sql.ts';
import {
  lockByEmails,
  type SubscriberChange,
  type SubscriberRow,
  updateSubscribers,
} from './people.sql.ts';
import { diffFieldValues, type FieldValue, parseName } from './people.ts';
import { type Consent, insertConsents } from './statuses.sql.ts';
import { addStoreSubscribers } from './store-customers.ts';

export type ListedSubscriber = {
  /** As parsed by parseEmail. */
  email: string;
  emailKey: string;
  /** As parsed by parsePhone. */
  phone: string | null;
  firstname?: string | null | undefined;
  lastname?: string | null | undefined;
  fieldValues: Record<number, FieldValue | null>;
  /**
   * Channels on which the subscriber must be active after the call. An existing subscriber who is
   * not yet active on all of them is not saved.
   */
  activeChannels: readonly Channel[];
};

type UpsertOptions = { source: string; cause: Cause; consent: Omit<Consent, 'at'> };

/**
 * Creates or updates these subscribers, each address once, and records their consent. Returns the
 * saved subscribers by email key. Some are omitted and must be handled one by one: existing
 * subscribers with a changed number or with a requested channel that is not active, and new
 * subscribers whose address or number is suppressed or whose number is in use. Addresses that
 * another transaction creates concurrently cause a unique violation; the caller then repeats its
 * work.
 */
export async function upsertSubscribers(
  tx: Tx,
  accountId: number,
  subscribers: readonly ListedSubscriber[],
  { source, cause, consent }: UpsertOptions,
): Promise<Map<string, { id: number; isNew: boolean }>> {
  if (subscribers.length === 0) return new Map();
  const keys = subscribers.map(({ emailKey }) => emailKey);
  // Phone numbers are looked up before email addresses. A subscriber that another transaction
  // creates between the two queries is then found by the email address, with its phone number.
  const phones = subscribers.flatMap(({ phone }) => phone ?? []);
  const phoneOwners = await findExistingAddresses(tx, accountId, { emails: [], phones });
  const existing = new Map(
    (await lockByEmails(tx, accountId, keys)).map((row) => [row.email_key, row] as const),
  );
  const unmovedMatches = subscribers.flatMap((subscriber) => {
    const row = existing.get(subscriber.emailKey);
    return row && isUnmoved(row, subscriber) ? [{ row, subscriber }] : [];
  });
  await changeMany(tx, accountId, unmovedMatches, cause);
  const newSubscribers = subscribers.filter(
    ({ emailKey, phone }) => !existing.has(emailKey) && !phoneOwners.has(phone ?? ''),
  );
  const creation = { source, cause, isRepeated: true };
  const createdRows = await addStoreSubscribers(
    tx,
    accountId,
    newSubscribers.map(newRow),
    creation,
  );
  const givenConsent = { ...consent, at: clock.now() };
  const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);
  await insertConsents(tx, accountId, idsOf(unmovedMatches.map(({ row }) => row)), givenConsent);
  await insertConsents(tx, accountId, idsOf(createdRows), givenConsent, { areNew: true });
  const savedByEmail = new Map<string, { id: number; isNew: boolean }>();
  for (const { row, subscriber } of unmovedMatches)
    savedByEmail.set(subscriber.emailKey, { id: row.id, isNew: false });
  for (const { id, email_key: key } of createdRows)
    savedByEmail.set(key as string, { id, isNew: true });
  return savedByEmail;
}

/** Returns whether the phone number stays and the requested channels are already active. */
const isUnmoved = (row: SubscriberRow, { phone, activeChannels }: ListedSubscriber) =>
  (phone === null || phone === row.phone_key) &&
  activeChannels.every((channel) => row[`${channel}_status`] === 'active');

function newRow({
  firstname = null,
  lastname = null,
  fieldValues,
  ...subscriber
}: ListedSubscriber) {
  const values = Object.entries(fieldValues).flatMap(([id, value]) =>
    value === null ? [] : [[id, value] as const],
  );
  return {
    ...subscriber,
    firstname,
    lastname,
    statuses: {},
    fieldValues: Object.fromEntries(values),
  };
}

async function changeMany(
  tx: Tx,
  accountId: number,
  matches: readonly { row: SubscriberRow; subscriber: ListedSubscriber }[],
  cause: Cause,
): Promise<void> {
  const changes: (SubscriberChange & { fieldIds: number[] })[] = [];
  for (const { row, subscriber } of matches) {
    const {
      set: values,
      remove: removedFields,
      fieldIds,
    } = diffFieldValues(row, subscriber.fieldValues);
    const { firstname = row.firstname, lastname = row.lastname } = {
      firstname: parseName(subscriber.firstname),
      lastname: parseName(subscriber.lastname),
    };
    const isRenamed = firstname !== row.firstname || lastname !== row.lastname;
    if (isRenamed || fieldIds.length > 0)
      changes.push({ id: row.id, firstname, lastname, values, removedFields, fieldIds });
  }
  if (changes.length === 0) return;
  await updateSubscribers(tx, accountId, changes, clock.now());
  const byFields = Map.groupBy(changes, ({ fieldIds }) => fieldIds.join());
  for (const group of byFields.values())
    await subscribersUpdated.announce(tx, {
      ...{ accountId, subscriberIds: group.map(({ id }) => id) },
      ...{ fieldIds: group[0]?.fieldIds ?? [], ...cause },
    });
}
