// Subscribers in the public API: found by any identifier, and created or updated with one call.
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { findFieldByName, readFields, readFieldValue } from '#areas/fields/server/index.ts';
import { addToGroups, requireGroups } from '#areas/groups/server/index.ts';
import {
  activateByApi,
  bounce,
  complain,
  resolveAddresses,
  findSubscriber,
  insertConsents,
  type SubscriberInput,
  type SubscriberRow,
  reactivate,
  readSubscriber,
  readSubscribers,
  unsubscribe,
  updateSubscriber,
  upsertSubscriber,
} from '#areas/subscribers/server/index.ts';
import { getAddressField, CHANNELS, type Channel } from '#areas/subscribers/shared.ts';
import { decodeId } from '#platform/ids.ts';
import type { Cause } from '#platform/origins.ts';
import { clock } from '#platform/server/clock.ts';
import { afterCommit, type Reader, type Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { formatV2Time } from '#platform/v2-contract.ts';
import type { Subscriber } from '../contract.ts';
import type { PublicSubscriber } from '../public-contract.ts';
import { clearCounts } from './list.ts';
import { presentSubscribers } from './present.ts';

export type PublicFields = {
  firstname?: string | null | undefined;
  lastname?: string | null | undefined;
  phone?: string | null | undefined;
  groups?: number[] | undefined;
  fields?: Record<string, string | number | boolean | null> | undefined;
  trigger_automation: boolean;
};

/** Changes through the API start workflows unless the call opts out. */
export const readCause = (body: { trigger_automation: boolean }) =>
  ({ origin: body.trigger_automation ? 'api' : 'bulk' }) as const;

/** Returns the subscriber with this email address, phone number or id. @throws `not_found` */
export async function resolveSubscriberId(
  db: Reader,
  accountId: number,
  reference: string,
): Promise<number> {
  const id = decodeId('subscriber', reference);
  if (id !== undefined) return (await readSubscriber(db, accountId, id)).id;
  const address = reference.includes('@') ? { email: reference } : { phone: reference };
  const row = await findSubscriber(db, accountId, address);
  if (!row) throw notFound();
  return row.id;
}

export async function readPublic(db: Reader, accountId: number, id: number) {
  const [subscriber] = await presentSubscribers(db, accountId, [id]);
  if (!subscriber) throw notFound();
  return presentPublic(subscriber);
}

type SavedSubscriber = { subscriber: PublicSubscriber; notes: string[] };

/**
 * Creates the subscriber, or updates the existing one with the address. A first consent makes a
 * non-subscribed subscriber active; opt-outs, bounces and complaints remain, and `notes` reports
 * that.
 */
export async function saveSubscriber(
  tx: Tx,
  caller: Actor,
  body: PublicFields & { email?: string | undefined },
  statuses: RequestedStatuses,
): Promise<SavedSubscriber> {
  const { id, notes } = await upsertSubscriberByApi(tx, caller, body, statuses);
  return { subscriber: await readPublic(tx, caller.accountId, id), notes };
}

export async function upsertSubscriberByApi(
  tx: Tx,
  caller: Actor,
  body: PublicFields & { email?: string | undefined },
  statuses: RequestedStatuses,
): Promise<{ id: number; isNew: boolean; notes: string[] }> {
  const { accountId, userId } = caller;
  if (!body.email && !body.phone) throw invalid({ email: ['errors.fields.required'] });
  await requireGroups(tx, accountId, body.groups ?? []);
  const notes: string[] = [];
  const signUp: Channel = body.email ? 'email' : 'sms';
  const { row, isNew } = await upsertSubscriber(tx, accountId, {
    ...(await parseInput(tx, accountId, body, notes)),
    email: body.email,
    source: 'api',
    cause: readCause(body),
    consent: { channel: signUp, kind: 'attested', source: 'api', userId },
  });
  await join(tx, accountId, row.id, body);
  if (!isNew && statuses[signUp] === undefined)
    notes.push(
      ...(await activateChannel(tx, caller, row, { channel: signUp, isRecorded: true })).notes,
    );
  for (const channel of CHANNELS) {
    const status = statuses[channel];
    if (status)
      notes.push(
        ...(await setStatus(tx, caller, row.id, { channel, status, cause: readCause(body) })).notes,
      );
  }
  return { id: row.id, isNew, notes };
}

export type RequestedStatuses = Partial<Record<Channel, string | undefined>>;

export async function changeSubscriber(
  tx: Tx,
  caller: Actor,
  id: number,
  body: PublicFields & { email?: string | undefined },
  statuses: RequestedStatuses,
): Promise<void> {
  const { accountId } = caller;
  await requireGroups(tx, accountId, body.groups ?? []);
  const input = await parseInput(tx, accountId, body, []);
  await updateSubscriber(tx, accountId, id, {
    ...input,
    email: body.email,
    cause: readCause(body),
  });
  await join(tx, accountId, id, body);
  for (const channel of CHANNELS) {
    const status = statuses[channel];
    if (!status) continue;
    const { refusal } = await setStatus(tx, caller, id, {
      channel,
      status,
      cause: readCause(body),
    });
    if (refusal) throw new AppError(refusal);
  }
}

async function join(tx: Tx, accountId: number, id: number, body: PublicFields): Promise<void> {
  await addToGroups(tx, accountId, {
    groupIds: body.groups ?? [],
    subscriberIds: [id],
    ...readCause(body),
  });
  afterCommit(() => clearCounts(accountId));
}

type StatusRefusal = 'cannot_resubscribe' | 'bounce_stays' | 'no_address';
type StatusOutcome = { notes: string[]; refusal?: StatusRefusal };

async function setStatus(
  tx: Tx,
  caller: Actor,
  id: number,
  { channel, status, cause }: { channel: Channel; status: string; cause: Cause },
): Promise<StatusOutcome> {
  const { accountId } = caller;
  const selection = { subscriberIds: [id] };
  if (status === 'UNSUBSCRIBED')
    await unsubscribe(tx, accountId, selection, { channel, reason: 'api', cause });
  else if (status === 'BOUNCED') await bounce(tx, accountId, selection, { channel });
  else if (status === 'SPAM_REPORTED') await complain(tx, accountId, selection, { channel });
  else {
    const row = await readSubscriber(tx, accountId, id);
    if (row[`${channel}_status`] !== 'unsubscribed')
      return activateChannel(tx, caller, row, { channel });
    const { skipped } = await reactivate(tx, accountId, selection, { channel });
    if (skipped.length > 0) return createRefusal(row, channel, 'cannot_resubscribe');
  }
  return { notes: [] };
}

/** Activates the channel if this is the first consent; opt-outs, bounces and complaints remain. */
async function activateChannel(
  tx: Tx,
  caller: Actor,
  row: SubscriberRow,
  { channel, isRecorded = false }: { channel: Channel; isRecorded?: boolean },
): Promise<StatusOutcome> {
  const { accountId, userId } = caller;
  const status = row[`${channel}_status`];
  const address = getAddressField(channel) === 'email' ? row.email_key : row.phone_key;
  if (address === null) return createRefusal(row, channel, 'no_address');
  if (status === 'active') return { notes: [] };
  if (status === 'bounced') return createRefusal(row, channel, 'bounce_stays');
  if (status !== 'non-subscribed') return createRefusal(row, channel, 'cannot_resubscribe');
  await activateByApi(tx, accountId, { subscriberIds: [row.id] }, { channel, userId });
  if (!isRecorded) {
    const consent = { channel, kind: 'attested', source: 'api', userId, at: clock.now() } as const;
    await insertConsents(tx, accountId, [row.id], consent);
  }
  return { notes: [`Subscribed to ${channel}`] };
}

const createRefusal = (
  row: SubscriberRow,
  channel: Channel,
  refusal: StatusRefusal,
): StatusOutcome => ({
  notes: [`Not subscribed to ${channel}: the status stays ${row[`${channel}_status`]}`],
  refusal,
});

/** Omits subscribers with the status bounced on the channel: the API cannot reactivate them. */
export async function excludeBounced(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  channel: Channel,
): Promise<number[]> {
  const rows = await readSubscribers(db, accountId, ids);
  return rows.filter((row) => row[`${channel}_status`] !== 'bounced').map(({ id }) => id);
}

async function parseInput(
  tx: Tx,
  accountId: number,
  body: PublicFields,
  notes: string[],
): Promise<SubscriberInput> {
  const { own, custom } = splitFields(body.fields ?? {});
  const { firstname = own.firstname, lastname = own.lastname, phone = own.phone } = body;
  const fieldValues = await parseValues(tx, accountId, custom, notes);
  return { firstname, lastname, phone: phone === '' ? null : phone, fieldValues };
}

const OWN_FIELDS = ['firstname', 'lastname', 'phone'] as const;

/**
 * Separates built-in columns, which are accepted among the fields as `firstname` or `{$firstname}`,
 * from custom fields. `email` is ignored, because it is a separate parameter.
 */
export function splitFields(fieldInput: NonNullable<PublicFields['fields']>) {
  const builtIn: Partial<Record<(typeof OWN_FIELDS)[number], string | null>> = {};
  const custom: NonNullable<PublicFields['fields']> = {};
  for (const [key, value] of Object.entries(fieldInput)) {
    const name = /^\{\$(.*)\}$/.exec(key)?.[1] ?? key;
    const column = OWN_FIELDS.find((field) => field === name);
    if (column) builtIn[column] = value === null ? null : String(value);
    else if (name !== 'email') custom[key] = value;
  }
  return { own: builtIn, custom };
}

/**
 * Matches names that look like field ids of another service, which a program may still send.
 * Unknown names of this form are ignored with a note; all other unknown names are errors.
 */
const ID_LIKE = /^(?=.*\d)[A-Za-z0-9]{6,12}$/;

async function parseValues(
  tx: Tx,
  accountId: number,
  fieldInput: NonNullable<PublicFields['fields']>,
  notes: string[],
): Promise<NonNullable<SubscriberInput['fieldValues']>> {
  const values: NonNullable<SubscriberInput['fieldValues']> = {};
  const entries = Object.entries(fieldInput);
  if (entries.length === 0) return values;
  const fields = await readFields(tx, accountId);
  for (const [key, value] of entries) {
    const field = findFieldByName(fields, key);
    if (!field && ID_LIKE.test(key)) {
      notes.push(`Unknown field: ${key}`);
      continue;
    }
    if (!field) throw invalid({ [`fields.${key}`]: ['errors.unknown_id'] });
    values[field.id] = await readFieldValue(
      tx,
      accountId,
      field.id,
      typeof value === 'boolean' ? String(value) : value,
      `fields.${key}`,
    );
  }
  return values;
}

export function presentPublic(subscriber: Subscriber): PublicSubscriber {
  const { id, email, firstname, lastname, phone, location, ip_address, source } = subscriber;
  const addresses = { email, phone };
  const status = CHANNELS.filter((channel) => addresses[getAddressField(channel)] !== null);
  return {
    id,
    email,
    firstname,
    lastname,
    phone,
    phone_country: getCountry(phone),
    created: formatV2Time(subscriber.created),
    bounced_at: subscriber.bounced_at && formatV2Time(subscriber.bounced_at),
    unsubscribed_at: subscriber.unsubscribed_at && formatV2Time(subscriber.unsubscribed_at),
    location,
    ip_address,
    status: Object.fromEntries(status.map((channel) => [channel, subscriber.status[channel]])),
    subscriber_tags: subscriber.subscriber_tags,
    columns: subscriber.columns.map(({ id: field, title, type, value }) => ({
      ...{ id: field, title, type, value },
      default: false,
    })),
    source: source.toUpperCase(),
  };
}

function getCountry(phone: string | null): PublicSubscriber['phone_country'] {
  const number = phone === null ? undefined : parsePhoneNumberFromString(phone);
  if (!number?.country) return null;
  return { phone_code: Number(number.countryCallingCode), country_code: number.country };
}

/**
 * Returns the ids of the subscribers who exist, each with the given identifier (`found`), the
 * identifiers that belong to no subscriber (`missing`), and invalid addresses (`broken`).
 */
export async function findSubscribersNamed(
  db: Reader,
  accountId: number,
  references: readonly string[],
) {
  const foundById = new Map<number, string>();
  const missing: string[] = [];
  const broken: string[] = [];
  const trimmedReferences = [...new Set(references.map((reference) => reference.trim()))];
  const ids = new Map<number, string>();
  const addresses: string[] = [];
  for (const ref of trimmedReferences) {
    const id = decodeId('subscriber', ref);
    if (id !== undefined) ids.set(id, ref);
    else addresses.push(ref);
  }
  for (const row of await readSubscribers(db, accountId, [...ids.keys()])) {
    foundById.set(row.id, ids.get(row.id) as string);
    ids.delete(row.id);
  }
  missing.push(...ids.values());
  const { idByInput: byReference, invalidInputs } = await resolveAddresses(
    db,
    accountId,
    addresses,
  );
  for (const address of addresses) {
    const id = byReference.get(address);
    if (id !== undefined) foundById.set(id, address);
    else if (invalidInputs.has(address)) broken.push(address);
    else missing.push(address);
  }
  return { found: foundById, missing, broken };
}

/**
 * Returns these subscribers in the format of the public API, keyed by their numeric id; deleted
 * ones are omitted.
 */
export async function readPublicSubscribers(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, PublicSubscriber>> {
  const presented = await presentSubscribers(db, accountId, [...new Set(ids)]);
  return new Map(
    presented.map(
      (subscriber) =>
        [decodeId('subscriber', subscriber.id) as number, presentPublic(subscriber)] as const,
    ),
  );
}
