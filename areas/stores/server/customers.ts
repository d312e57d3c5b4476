// Customers become subscribers: they are matched by email address, are non-subscribed unless they
// consented, and are reactivated only by the store that unsubscribed them.
import {
  addStoreSubscribers,
  confirm,
  createSubscriber,
  type FoundAmong,
  fillNames,
  resolveAddresses,
  insertConsents,
  parseEmail,
  parsePhone,
  type StoreSubscriber,
  unsubscribe,
  updateSubscriber,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { StoreRow } from './connections.sql.ts';
import {
  addToTheirGroups,
  type KnownCustomer,
  setCustomerFields,
  updateCustomerDetails,
} from './customer-details.ts';
import { findCustomers, saveCustomers } from './customers.sql.ts';
import type { UnusedEntries, StoreCustomer } from './store-payloads.ts';

/** Where the customers come from, and how their data is applied. */
type CustomerSource = {
  store: StoreRow;
  /** False for a browser: its data never changes known people. */
  isTrusted: boolean;
  /** True for bulk data: its changes start no workflows. */
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
  findSubscriberId(customer: StoreCustomer | null): number | undefined;
};

/**
 * Finds or adds the subscribers of these customers and records their consent. Data of a trusted
 * source also updates known subscribers, groups and fields.
 */
export async function upsertCustomers(
  tx: Tx,
  accountId: number,
  { store, isTrusted, isQuiet, isUpdate = false }: CustomerSource,
  reports: readonly StoreCustomer[],
): Promise<Customers> {
  const normalized = reports.map<StoreCustomer>((customer) => ({
    ...customer,
    ...(isTrusted ? {} : UNPROVEN),
    phone: internationalOf(customer),
  }));
  const remoteIds = normalized.flatMap(({ remoteId }) => (remoteId ? [remoteId] : []));
  const byNumber = await findCustomers(tx, accountId, store.id, [...new Set(remoteIds)]);
  const byKey = new Map<string, StoreCustomer>();
  for (const customer of normalized) {
    const key = keyOf(customer);
    if (key) byKey.set(key, mergeCustomers(byKey.get(key), customer));
  }
  const keys = [...byKey.keys()].sort();
  const matches = await resolveAddresses(tx, accountId, keys);
  const { idByInput: byAddress } = matches;
  if (isTrusted) await changeKnown(tx, accountId, store, matches, { byKey, isQuiet });
  const subscribersByKey = new Map(byAddress);
  const strangers = keys.flatMap((key) =>
    subscribersByKey.has(key) ? [] : (byKey.get(key) ?? []),
  );
  for (const [key, id] of await addAll(tx, accountId, store, strangers, isQuiet))
    subscribersByKey.set(key, id);
  for (const key of keys) {
    const customer = byKey.get(key);
    if (!customer || subscribersByKey.has(key)) continue;
    subscribersByKey.set(key, await add(tx, accountId, store, customer, isQuiet));
  }
  const findSubscriberId: Customers['findSubscriberId'] = (customer) => {
    if (!customer) return undefined;
    const key = keyOf(customer);
    const subscriber = key === undefined ? undefined : subscribersByKey.get(key);
    return subscriber ?? (customer.remoteId ? byNumber.get(customer.remoteId) : undefined);
  };
  if (isTrusted) {
    const numbers = numbersOf(normalized, findSubscriberId).filter(
      ({ remoteId, subscriberId }) => byNumber.get(remoteId) !== subscriberId,
    );
    await saveCustomers(tx, accountId, store.id, numbers);
  }
  const matchedCustomers = isTrusted
    ? knownOf([...byKey.values(), ...withoutAddress(normalized)], findSubscriberId)
    : [];
  const change = { tx, accountId, store, isQuiet };
  if (isUpdate) await updateCustomerDetails(change, matchedCustomers, matches);
  const unknownGroups = await addToTheirGroups(change, matchedCustomers);
  return {
    findSubscriberId,
    findings: { unknownGroups, ...(await setCustomerFields(change, matchedCustomers)) },
  };
}

/** Customers without a usable address, who may be known by their id in the store. */
const withoutAddress = (customers: readonly StoreCustomer[]) =>
  customers.filter((customer) => keyOf(customer) === undefined);

const knownOf = (
  customers: readonly StoreCustomer[],
  findSubscriberId: Customers['findSubscriberId'],
): KnownCustomer[] =>
  customers.flatMap((customer) => {
    const subscriberId = findSubscriberId(customer);
    return subscriberId === undefined ? [] : [{ customer, subscriberId }];
  });

/** People are identified by email address because phone numbers in stores are often shared. */
function keyOf({ email }: StoreCustomer): string | undefined {
  const parsedEmail = email ? parseEmail(email) : undefined;
  return typeof parsedEmail === 'object' ? parsedEmail.key : undefined;
}

/**
 * Only the names, email address and phone number of a visitor are stored; consent is requested by
 * email.
 */
const UNPROVEN: Partial<StoreCustomer> = {
  ...{ remoteId: null, groups: [], fields: {}, consentAt: null },
  ...{ consent: 'open', smsConsent: 'open' },
};

/** A national number is parsed with the customer's country; an invalid one is omitted. */
function internationalOf({ phone, country }: StoreCustomer): string | null {
  const parsedPhone = phone ? parsePhone(phone, country ?? undefined) : undefined;
  return typeof parsedPhone === 'object' ? parsedPhone.phone : null;
}

const isOpen = (consent: StoreCustomer['consent'] | undefined): consent is 'open' | undefined =>
  consent === undefined || consent === 'open';

/**
 * Merges duplicates in one call: later values win, and values missing in a later duplicate remain.
 */
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
 * Adds several people in one statement, and records their consent; `add` handles the people that
 * this function leaves out. An invalid or taken phone number is omitted.
 */
async function addAll(
  tx: Tx,
  accountId: number,
  store: StoreRow,
  customers: readonly StoreCustomer[],
  isQuiet: boolean,
): Promise<Map<string, number>> {
  if (customers.length < 2) return new Map();
  const phones = [...new Set(customers.flatMap(({ phone }) => phone ?? []))];
  const { idByInput: knownPhones } = await resolveAddresses(tx, accountId, phones);
  const usedKeys = new Set<string>();
  const phoneOf = ({ phone }: StoreCustomer): string | null => {
    if (!phone || knownPhones.has(phone) || usedKeys.has(phone)) return null;
    usedKeys.add(phone);
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
  const consentingCustomers = customers.filter(({ consent }) => consent === 'subscribed');
  const moments = Map.groupBy(consentingCustomers, ({ consentAt }) =>
    (consentAt ?? clock.now()).getTime(),
  );
  for (const [moment, those] of moments) {
    const ids = those.flatMap((customer) => idOf.get(keyOf(customer) ?? '') ?? []);
    if (ids.length > 0) await recordConsent(tx, accountId, store, ids, new Date(moment));
  }
  return idOf;
}

async function add(
  tx: Tx,
  accountId: number,
  store: StoreRow,
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
  const { idByInput: owners, invalidInputs } = await resolveAddresses(tx, accountId, [phone]);
  if (invalidInputs.size > 0 || owners.size > 0) return;
  await updateSubscriber(tx, accountId, id, { phone, cause: { origin: 'bulk' } });
}

function recordConsent(
  tx: Tx,
  accountId: number,
  store: StoreRow,
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
  store: StoreRow,
  matches: FoundAmong,
  update: { byKey: Map<string, StoreCustomer>; isQuiet: boolean },
): Promise<void> {
  const rows = new Map(matches.rows.map((row) => [row.id, row]));
  const cause = { origin: update.isQuiet ? 'bulk' : 'store' } as const;
  const nameless: Parameters<typeof fillNames>[2][number][] = [];
  const unsubscribedIds: number[] = [];
  for (const [key, customer] of update.byKey) {
    const row = rows.get(matches.idByInput.get(key) ?? 0);
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
      unsubscribedIds.push(row.id);
  }
  await fillNames(tx, accountId, nameless, cause);
  if (unsubscribedIds.length > 0) {
    await unsubscribe(
      tx,
      accountId,
      { subscriberIds: unsubscribedIds },
      { channel: 'email', reason: 'store', storeId: store.id, cause },
    );
  }
}

function numbersOf(
  customers: readonly StoreCustomer[],
  findSubscriberId: Customers['findSubscriberId'],
): { remoteId: string; subscriberId: number }[] {
  const byNumber = new Map<string, number>();
  for (const customer of customers) {
    const id = findSubscriberId(customer);
    // Guests have no customer id.
    if (id !== undefined) byNumber.set(customer.remoteId ?? `guest:${id}`, id);
  }
  return [...byNumber].map(([remoteId, subscriberId]) => ({ remoteId, subscriberId }));
}
