// Customers as subscribers: matched by email address, added as non-subscribed without consent,
// reactivated only by the store that unsubscribed them.
import {
  addStoreSubscribers,
  confirm,
  createSubscriber,
  type FoundAmong,
  fillNames,
  findAmong,
  insertConsents,
  parseEmail,
  parsePhone,
  type StoreSubscriber,
  unsubscribe,
  updateSubscriber,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { StoreFacts } from './connections.sql.ts';
import {
  addToTheirGroups,
  type KnownCustomer,
  setTheirFields,
  updateTheirDetails,
} from './customer-details.ts';
import { findCustomers, saveCustomers } from './customers.sql.ts';
import type { UnusedEntries, StoreCustomer } from './store-payloads.ts';

/** Where the customers come from, and how their data is applied. */
type CustomerSource = {
  store: StoreFacts;
  /** False for a browser, whose data never changes known people. */
  isTrusted: boolean;
  /** True for bulk data, whose changes start no workflows. */
  isQuiet: boolean;
  /**
   * Whether the report replaces names, phone number and statuses, instead of filling empty ones.
   */
  isUpdate?: boolean;
};

export type Customers = {
  findings: UnusedEntries;
  /**
   * The subscriber of a reported customer; undefined if neither the address nor the store's ID is
   * known.
   */
  personOf(customer: StoreCustomer | null): number | undefined;
};

/**
 * Finds or adds the subscribers of these customers, with their consent. Data of a trusted source
 * also updates known subscribers, groups and fields.
 */
export async function upsertCustomers(
  tx: Tx,
  accountId: number,
  { store, isTrusted, isQuiet, isUpdate = false }: CustomerSource,
  reported: readonly StoreCustomer[],
): Promise<Customers> {
  const normalized = reported.map<StoreCustomer>((customer) => ({
    ...customer,
    ...(isTrusted ? {} : UNPROVEN),
    phone: internationalOf(customer),
  }));
  const numbered = normalized.flatMap(({ remoteId }) => (remoteId ? [remoteId] : []));
  const byNumber = await findCustomers(tx, accountId, store.id, [...new Set(numbered)]);
  const byKey = new Map<string, StoreCustomer>();
  for (const customer of normalized) {
    const key = keyOf(customer);
    if (key) byKey.set(key, mergeCustomers(byKey.get(key), customer));
  }
  const keys = [...byKey.keys()].sort();
  const found = await findAmong(tx, accountId, keys);
  const { byWords: byAddress } = found;
  if (isTrusted) await changeKnown(tx, accountId, store, found, { byKey, isQuiet });
  const people = new Map(byAddress);
  const strangers = keys.flatMap((key) => (people.has(key) ? [] : (byKey.get(key) ?? [])));
  for (const [key, id] of await addAll(tx, accountId, store, strangers, isQuiet))
    people.set(key, id);
  for (const key of keys) {
    const customer = byKey.get(key);
    if (!customer || people.has(key)) continue;
    people.set(key, await add(tx, accountId, store, customer, isQuiet));
  }
  const personOf: Customers['personOf'] = (customer) => {
    if (!customer) return undefined;
    const key = keyOf(customer);
    const found = key === undefined ? undefined : people.get(key);
    return found ?? (customer.remoteId ? byNumber.get(customer.remoteId) : undefined);
  };
  if (isTrusted) {
    const numbers = numbersOf(normalized, personOf).filter(
      ({ remoteId, subscriberId }) => byNumber.get(remoteId) !== subscriberId,
    );
    await saveCustomers(tx, accountId, store.id, numbers);
  }
  const known = isTrusted
    ? knownOf([...byKey.values(), ...withoutAddress(normalized)], personOf)
    : [];
  const act = { tx, accountId, store, isQuiet };
  if (isUpdate) await updateTheirDetails(act, known, found);
  const unknownGroups = await addToTheirGroups(act, known);
  return { personOf, findings: { unknownGroups, ...(await setTheirFields(act, known)) } };
}

/** Customers without a usable address, who may be known by their id in the store. */
const withoutAddress = (customers: readonly StoreCustomer[]) =>
  customers.filter((customer) => keyOf(customer) === undefined);

const knownOf = (
  customers: readonly StoreCustomer[],
  personOf: Customers['personOf'],
): KnownCustomer[] =>
  customers.flatMap((customer) => {
    const subscriberId = personOf(customer);
    return subscriberId === undefined ? [] : [{ customer, subscriberId }];
  });

/** People are identified by email address, since phone numbers in stores are often shared. */
function keyOf({ email }: StoreCustomer): string | undefined {
  const parsed = email ? parseEmail(email) : undefined;
  return typeof parsed === 'object' ? parsed.key : undefined;
}

/**
 * Of a visitor, only names, email address and phone number are stored: consent is requested by
 * email.
 */
const UNPROVEN: Partial<StoreCustomer> = {
  ...{ remoteId: null, groups: [], fields: {}, consentAt: null },
  ...{ consent: 'open', smsConsent: 'open' },
};

/** A national number is parsed with the country of its address; an invalid one is omitted. */
function internationalOf({ phone, country }: StoreCustomer): string | null {
  const read = phone ? parsePhone(phone, country ?? undefined) : undefined;
  return typeof read === 'object' ? read.phone : null;
}

const isOpen = (answer: StoreCustomer['consent'] | undefined): answer is 'open' | undefined =>
  answer === undefined || answer === 'open';

/** Merges duplicates in one call: later values win, and values that the later one lacks remain. */
function mergeCustomers(before: StoreCustomer | undefined, after: StoreCustomer): StoreCustomer {
  if (!before) return after;
  return {
    remoteId: after.remoteId ?? before.remoteId,
    email: after.email ?? before.email,
    phone: after.phone ?? before.phone,
    firstname: after.firstname ?? before.firstname,
    lastname: after.lastname ?? before.lastname,
    consent: after.consent === 'open' ? before.consent : after.consent,
    consentAt: after.consentAt ?? before.consentAt,
    smsConsent: isOpen(after.smsConsent) ? (before.smsConsent ?? 'open') : after.smsConsent,
    groups: [...new Set([...before.groups, ...after.groups])],
    fields: { ...before.fields, ...after.fields },
  };
}

/**
 * Adds several people in one statement, with their consent; `add` handles the people that this
 * function leaves out. An invalid or taken phone number is omitted.
 */
async function addAll(
  tx: Tx,
  accountId: number,
  store: StoreFacts,
  customers: readonly StoreCustomer[],
  isQuiet: boolean,
): Promise<Map<string, number>> {
  if (customers.length < 2) return new Map();
  const phones = [...new Set(customers.flatMap(({ phone }) => phone ?? []))];
  const { byWords: knownPhones } = await findAmong(tx, accountId, phones);
  const used = new Set<string>();
  const phoneOf = ({ phone }: StoreCustomer): string | null => {
    if (!phone || knownPhones.has(phone) || used.has(phone)) return null;
    used.add(phone);
    return phone;
  };
  const newPeople = customers.flatMap((customer): StoreSubscriber[] => {
    const email = customer.email ? parseEmail(customer.email) : undefined;
    if (typeof email !== 'object') return [];
    const { firstname, lastname, consent } = customer;
    return [
      {
        ...{
          email: email.email,
          emailKey: email.key,
          phone: phoneOf(customer),
          firstname,
          lastname,
        },
        statuses: {
          email: consent === 'subscribed' ? 'active' : 'non-subscribed',
          sms: 'non-subscribed',
        },
      },
    ];
  });
  const cause = { origin: isQuiet ? 'bulk' : 'store' } as const;
  const rows = await addStoreSubscribers(tx, accountId, newPeople, { source: 'store', cause });
  const idOf = new Map(rows.map((row) => [row.email_key ?? '', row.id]));
  const agreed = customers.filter(({ consent }) => consent === 'subscribed');
  const moments = Map.groupBy(agreed, ({ consentAt }) => (consentAt ?? clock.now()).getTime());
  for (const [moment, those] of moments) {
    const ids = those.flatMap((customer) => idOf.get(keyOf(customer) ?? '') ?? []);
    if (ids.length > 0) await recordConsent(tx, accountId, store, ids, new Date(moment));
  }
  return idOf;
}

async function add(
  tx: Tx,
  accountId: number,
  store: StoreFacts,
  customer: StoreCustomer,
  isQuiet: boolean,
): Promise<number> {
  const hasConsented = customer.consent === 'subscribed';
  const row = await createSubscriber(tx, accountId, {
    email: customer.email,
    firstname: customer.firstname,
    lastname: customer.lastname,
    source: 'store',
    cause: { origin: isQuiet ? 'bulk' : 'store' },
    statuses: { email: hasConsented ? 'active' : 'non-subscribed', sms: 'non-subscribed' },
  });
  const at = customer.consentAt ?? clock.now();
  if (hasConsented) await recordConsent(tx, accountId, store, [row.id], at);
  if (customer.phone) await addPhone(tx, accountId, row.id, customer.phone);
  return row.id;
}

/** An invalid or taken phone number is omitted. */
async function addPhone(tx: Tx, accountId: number, id: number, phone: string): Promise<void> {
  const { byWords: owners, unreadable } = await findAmong(tx, accountId, [phone]);
  if (unreadable.size > 0 || owners.size > 0) return;
  await updateSubscriber(tx, accountId, id, { phone, cause: { origin: 'bulk' } });
}

function recordConsent(
  tx: Tx,
  accountId: number,
  store: StoreFacts,
  ids: readonly number[],
  at: Date,
): Promise<void> {
  return insertConsents(tx, accountId, ids, {
    channel: 'email',
    kind: 'given',
    source: 'store',
    sourceId: store.id,
    at,
  });
}

/**
 * Fills empty names and phone numbers; consent activates non-subscribed people, and a refusal
 * unsubscribes active ones. Unsubscribed people are never reactivated here.
 */
async function changeKnown(
  tx: Tx,
  accountId: number,
  store: StoreFacts,
  found: FoundAmong,
  update: { byKey: Map<string, StoreCustomer>; isQuiet: boolean },
): Promise<void> {
  const rows = new Map(found.rows.map((row) => [row.id, row]));
  const cause = { origin: update.isQuiet ? 'bulk' : 'store' } as const;
  const nameless: Parameters<typeof fillNames>[2][number][] = [];
  const unsubscribed: number[] = [];
  for (const [key, customer] of update.byKey) {
    const row = rows.get(found.byWords.get(key) ?? 0);
    if (!row) continue;
    const { firstname, lastname } = customer;
    if ((!row.firstname && firstname) || (!row.lastname && lastname))
      nameless.push({ id: row.id, firstname, lastname });
    if (!row.phone && customer.phone) await addPhone(tx, accountId, row.id, customer.phone);
    if (customer.consent === 'subscribed' && row.email_status === 'non-subscribed') {
      await confirm(
        tx,
        accountId,
        { subscriberIds: [row.id] },
        { channel: 'email', source: 'store', sourceId: store.id },
      );
    }
    if (customer.consent === 'unsubscribed' && row.email_status === 'active')
      unsubscribed.push(row.id);
  }
  await fillNames(tx, accountId, nameless, cause);
  if (unsubscribed.length > 0) {
    await unsubscribe(
      tx,
      accountId,
      { subscriberIds: unsubscribed },
      { channel: 'email', reason: 'store', storeId: store.id, cause },
    );
  }
}

function numbersOf(
  customers: readonly StoreCustomer[],
  personOf: Customers['personOf'],
): { remoteId: string; subscriberId: number }[] {
  const byNumber = new Map<string, number>();
  for (const customer of customers) {
    const id = personOf(customer);
    // Guests have no customer id.
    if (id !== undefined) byNumber.set(customer.remoteId ?? `guest:${id}`, id);
  }
  return [...byNumber].map(([remoteId, subscriberId]) => ({ remoteId, subscriberId }));
}
