// Details that a store's server reports about customers besides their address: groups, field
// values, and in an update also names, phone number and statuses.
import { parseFieldValues } from '#areas/fields/server/index.ts';
import { addToGroups, findGroupsByTitle } from '#areas/groups/server/index.ts';
import {
  confirm,
  resolveAddresses,
  type FoundAmong,
  type SubscriberRow,
  resubscribeByStore,
  unsubscribe,
  updateSubscriber,
} from '#areas/subscribers/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { StoreRow } from './connections.sql.ts';
import type { UnusedEntries, StoreCustomer } from './store-payloads.ts';

/** A customer and the matching subscriber. */
export type KnownCustomer = { customer: StoreCustomer; subscriberId: number };

type CustomerChange = { tx: Tx; accountId: number; store: StoreRow; isQuiet: boolean };

const causeOf = ({ isQuiet }: CustomerChange) => ({ origin: isQuiet ? 'bulk' : 'store' }) as const;

/**
 * Names of values that this product derives from orders, so that the account needs no fields for
 * them.
 */
const ORDER_FACTS: ReadonlySet<string> = new Set([
  'orders_count',
  'total_spent',
  'last_order_number',
  'currency',
]);

/**
 * Adds customers to the groups that the store names, and to the group chosen in the settings of the
 * store.
 */
export async function addToTheirGroups(
  change: CustomerChange,
  customers: readonly KnownCustomer[],
): Promise<UnusedEntries['unknownGroups']> {
  const { tx, accountId, store } = change;
  const groupNames = [...new Set(customers.flatMap(({ customer }) => customer.groups))];
  const existingGroups = await findGroupsByTitle(tx, accountId, groupNames);
  const members = new Map<number, Set<number>>();
  const add = (groupId: number, subscriberId: number) =>
    members.set(groupId, (members.get(groupId) ?? new Set()).add(subscriberId));
  for (const { customer, subscriberId } of customers) {
    for (const entry of customer.groups) {
      const groupId = existingGroups.get(entry);
      if (groupId !== undefined) add(groupId, subscriberId);
    }
    if (store.settings.group_id) add(store.settings.group_id, subscriberId);
  }
  const { origin } = causeOf(change);
  for (const [groupId, ids] of [...members].sort(([a], [b]) => a - b))
    await addToGroups(tx, accountId, { groupIds: [groupId], subscriberIds: [...ids], origin });
  return groupNames.filter((entry) => !existingGroups.has(entry));
}

/** Stores the values of fields; an empty value does not replace an existing one. */
export async function setCustomerFields(
  change: CustomerChange,
  customers: readonly KnownCustomer[],
): Promise<Pick<UnusedEntries, 'unknownFields' | 'unfitFields'>> {
  const { tx, accountId } = change;
  const reportedFields = customers.map(({ customer }) => customer.fields ?? {});
  const { values, unknownKeys, invalidKeys } = await parseFieldValues(
    tx,
    accountId,
    reportedFields,
  );
  for (const [index, { subscriberId }] of customers.entries()) {
    const filledValues = Object.entries(values[index] ?? {}).filter(([, value]) => value !== null);
    if (filledValues.length === 0) continue;
    const fieldValues = Object.fromEntries(filledValues);
    await updateSubscriber(tx, accountId, subscriberId, { fieldValues, cause: causeOf(change) });
  }
  const unknownFields = unknownKeys.filter(
    (key) => !ORDER_FACTS.has(key.replace(/^\{\$|\}$/g, '')),
  );
  return { unknownFields, unfitFields: invalidKeys };
}

/**
 * Replaces names and phone number and applies the reported statuses. Consent activates
 * non-subscribed people; unsubscribed people are resubscribed only if this store unsubscribed them.
 */
export async function updateCustomerDetails(
  change: CustomerChange,
  customers: readonly KnownCustomer[],
  { rows }: Pick<FoundAmong, 'rows'>,
): Promise<void> {
  const { tx, accountId } = change;
  for (const { customer, subscriberId } of customers) {
    const row = rows.find(({ id }) => id === subscriberId);
    const { firstname, lastname, phone } = customer;
    const isFree = phone !== null && phone !== row?.phone && (await isFreePhone(change, phone));
    const updated = await updateSubscriber(tx, accountId, subscriberId, {
      ...(firstname ? { firstname } : {}),
      ...(lastname ? { lastname } : {}),
      ...(isFree ? { phone } : {}),
      cause: causeOf(change),
    });
    await followResponse(change, updated, 'email', customer.consent);
    await followResponse(change, updated, 'sms', customer.smsConsent ?? 'open');
  }
}

/**
 * Returns whether the number is valid and no subscriber has it; customers of a store often share
 * one.
 */
async function isFreePhone({ tx, accountId }: CustomerChange, phone: string): Promise<boolean> {
  const { idByInput: owners, invalidInputs } = await resolveAddresses(tx, accountId, [phone]);
  return invalidInputs.size === 0 && owners.size === 0;
}

async function followResponse(
  change: CustomerChange,
  row: SubscriberRow,
  channel: 'email' | 'sms',
  consent: StoreCustomer['consent'],
): Promise<void> {
  const { tx, accountId, store } = change;
  const subscribers = { subscriberIds: [row.id] };
  const status = row[`${channel}_status`];
  // A bounced address stays bounced. If a store could change it to unsubscribed, the store could
  // then reactivate it, because stores can end the opt-outs that they reported.
  if (consent === 'unsubscribed' && (status === 'active' || status === 'non-subscribed')) {
    const cause = causeOf(change);
    await unsubscribe(tx, accountId, subscribers, {
      ...{ channel, reason: 'store', storeId: store.id, cause },
    });
  } else if (consent === 'subscribed') {
    const from = { channel, source: 'store', sourceId: store.id };
    await confirm(tx, accountId, subscribers, from);
    await resubscribeByStore(tx, accountId, subscribers, { channel, storeId: store.id });
  }
}
