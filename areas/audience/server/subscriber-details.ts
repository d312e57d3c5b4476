// Reads one subscriber in full, creates and erases subscribers, and updates single fields of them.
import { lockApprovalRequests } from '#areas/approvals/server/index.ts';
import { readFields, readFieldValue } from '#areas/fields/server/index.ts';
import { contentsNamingAddresses } from '#platform/server/erasure/erasure.ts';
import { addToGroups, requireGroups } from '#areas/groups/server/index.ts';
import { CHANNELS, type Channel, type SuppressionReason } from '#areas/subscribers/shared.ts';
import { readCustomerValue } from '#areas/stores/server/index.ts';
import {
  listConsents,
  createSubscriber,
  eraseSubscribers,
  listStatusChanges,
  type SubscriberRow,
  readSubscriber,
  findSuppressionReasons,
  updateSubscriber,
} from '#areas/subscribers/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import type { Cause } from '#platform/origins.ts';
import { afterCommit, type Reader, type Tx } from '#platform/server/database/database.ts';
import { invalid, notFound } from '#platform/server/errors.ts';
import type { Subscriber, SubscriberDetails } from '../contract.ts';
import { OWN_FIELDS, type OwnField } from '../shared.ts';
import { clearCounts } from './list.ts';
import { presentSubscribers } from './present.ts';

async function present(db: Reader, accountId: number, id: number): Promise<Subscriber> {
  const [subscriber] = await presentSubscribers(db, accountId, [id]);
  if (!subscriber) throw notFound();
  return subscriber;
}

/** @throws `not_found` for ids of other accounts and for deleted subscribers */
export async function readDetails(
  db: Reader,
  accountId: number,
  id: number,
): Promise<SubscriberDetails> {
  const row = await readSubscriber(db, accountId, id);
  const consents = await listConsents(db, accountId, id);
  const changes = await listStatusChanges(db, accountId, id);
  const suppressionReasons = await findSuppressionReasons(db, accountId, {
    emailKey: row.email_key,
    phoneKey: row.phone_key,
  });
  return {
    ...(await present(db, accountId, id)),
    worth: await readCustomerValue(db, accountId, id),
    consents: consents.map((consent) => ({
      at: consent.at.toISOString(),
      channel: consent.channel as Channel | 'terms',
      kind: consent.kind as 'given',
      source: consent.source,
      wording: consent.wording,
      ip_address: consent.ip,
    })),
    status_changes: changes.map((change) => ({
      at: change.at.toISOString(),
      channel: change.channel as Channel,
      from: change.from_status,
      to: change.to_status,
      reason: change.reason,
    })),
    comeback: Object.fromEntries(
      CHANNELS.map((channel) => {
        const channelChanges = changes.filter((change) => change.channel === channel);
        return [
          channel,
          describeReactivation(row, channel, suppressionReasons[channel], channelChanges),
        ];
      }),
    ) as SubscriberDetails['comeback'],
  };
}

type ChannelStatusChange = { from_status: string | null; to_status: string };

function describeReactivation(
  row: SubscriberRow,
  channel: Channel,
  reason: SuppressionReason | undefined,
  changes: readonly ChannelStatusChange[],
) {
  const key = channel.endsWith('email') ? row.email_key : row.phone_key;
  const status = row[`${channel}_status`];
  if (status === 'active') return 'open';
  if (key === null || status === 'reported' || reason === 'reported' || reason === 'erased') {
    return 'never';
  }
  // A subscriber who never opted in has not consented, regardless of later statuses.
  const isStranger =
    status === 'non-subscribed' ||
    (changes.some((change) => [change.from_status, change.to_status].includes('non-subscribed')) &&
      !changes.some((change) => change.from_status === 'active' || change.to_status === 'active'));
  return reason === 'unsubscribed' || isStranger ? 'consent' : 'free';
}

export type NewSubscriberInput = {
  email?: string | undefined;
  phone?: string | undefined;
  firstname?: string | undefined;
  lastname?: string | undefined;
  fields?: Record<string, string | number | null> | undefined;
  groups?: number[] | undefined;
  trigger_automation: boolean;
};

export async function addSubscriber(
  tx: Tx,
  accountId: number,
  userId: number,
  input: NewSubscriberInput,
): Promise<Subscriber> {
  const { email, phone, firstname, lastname } = input;
  const groups = await requireGroups(tx, accountId, input.groups ?? []);
  const fieldValues: Record<number, string | number | null> = {};
  for (const [id, value] of Object.entries(input.fields ?? {})) {
    const fieldId = decodeId('field', id);
    if (fieldId === undefined) throw invalid({ [`fields.${id}`]: ['errors.unknown_id'] });
    fieldValues[fieldId] = await readFieldValue(tx, accountId, fieldId, value, `fields.${id}`);
  }
  const row = await createSubscriber(tx, accountId, {
    email,
    phone,
    firstname,
    lastname,
    fieldValues,
    source: 'manual',
    consent: { channel: email ? 'email' : 'sms', kind: 'attested', source: 'owner', userId },
  });
  await addToGroups(tx, accountId, {
    groupIds: groups.map((group) => group.id),
    subscriberIds: [row.id],
    origin: input.trigger_automation ? 'api' : 'bulk',
  });
  afterCommit(() => clearCounts(accountId));
  return present(tx, accountId, row.id);
}

/** Sets a custom field by its id, or one of email, phone, firstname, lastname by its name. */
export async function setField(
  tx: Tx,
  accountId: number,
  id: number,
  field: string,
  value: string | number | null,
  cause?: Cause,
): Promise<Subscriber> {
  await readSubscriber(tx, accountId, id);
  const change = await changeOf(tx, accountId, field, value);
  await updateSubscriber(tx, accountId, id, { ...change, cause });
  afterCommit(() => clearCounts(accountId));
  return present(tx, accountId, id);
}

async function changeOf(
  tx: Tx,
  accountId: number,
  field: string,
  value: string | number | null,
): Promise<Parameters<typeof updateSubscriber>[3]> {
  const builtInField = OWN_FIELDS.find((name) => name === field);
  if (builtInField) return findOwnChange(builtInField, value);
  const fieldId = decodeId('field', field) ?? (await findIdByName(tx, accountId, field));
  if (fieldId === undefined) throw notFound();
  return { fieldValues: { [fieldId]: await readFieldValue(tx, accountId, fieldId, value) } };
}

const findOwnChange = (name: OwnField, value: string | number | null) => ({
  [name]: value === null ? null : String(value),
});

async function findIdByName(
  db: Reader,
  accountId: number,
  name: string,
): Promise<number | undefined> {
  const fields = await readFields(db, accountId);
  return fields.find((field) => field.name === name)?.id;
}

/** Erases a subscriber and returns the account's content that mentions its addresses. */
export async function eraseAndFind(tx: Tx, accountId: number, id: number) {
  const { email_key: email, phone_key: phone } = await readSubscriber(tx, accountId, id);
  await lockApprovalRequests(tx, accountId, 'subscribers_delete');
  const erasedIds = await eraseSubscribers(tx, accountId, { subscriberIds: [id] });
  if (erasedIds.length === 0) throw notFound();
  afterCommit(() => clearCounts(accountId));
  const addresses = [email, phone].filter((address) => address !== null);
  if (addresses.length === 0) return { found_in: [] };
  return { found_in: await contentsNamingAddresses.collect(tx, { accountId, addresses }) };
}
