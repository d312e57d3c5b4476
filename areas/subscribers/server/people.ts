// Creates, finds and updates one subscriber. An address is unique within its account; a suppressed
// address gets the status of its suppression.

import { countSubscribers, markAccount } from '#areas/accounts/server/index.ts';
import type { Cause } from '#platform/origins.ts';
import { cleanText, cutText } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { inSavepoint } from '#platform/server/database/savepoint.sql.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import {
  CHANNELS,
  type Channel,
  MAX_NAME_LENGTH,
  getMailbox,
  type SuppressionReason,
} from '../shared.ts';
import { parseEmail } from './email-address.ts';
import { subscribersCreated, subscribersUpdated } from './events.ts';
import type { SubscriberRow } from './people.sql.ts';
import * as store from './people.sql.ts';
import {
  type Addresses,
  addressTakenError,
  resolveChangedAddresses,
  findAddressOwners,
  resolveFirstStatuses,
  readAddresses,
} from './person-addresses.ts';
import { parsePhone } from './phone-number.ts';
import { type Consent, insertConsents, logStatuses } from './statuses.sql.ts';
import { linkSuppressionsOfSubscriber, findSuppressionReasons } from './suppression.ts';

export type FieldValue = string | number;

export type SubscriberInput = {
  /**
   * Addresses as typed, parsed by parseEmail and parsePhone. A new subscriber needs at least one.
   */
  email?: string | null | undefined;
  phone?: string | null | undefined;
  firstname?: string | null | undefined;
  lastname?: string | null | undefined;
  /** By default the source, if changes from that source start workflows; otherwise `bulk`. */
  cause?: Cause | undefined;
  /** Values by field id, as `readFieldValue` returns them; null removes a value. */
  fieldValues?: Record<number, FieldValue | null> | undefined;
};

export type NewSubscriber = SubscriberInput & {
  /** The source: manual, form, api, import, store … */
  source: string;
  /** Initial statuses that differ from the defaults, such as non-subscribed for double opt-in. */
  statuses?: Partial<Record<Channel, 'active' | 'non-subscribed'>>;
  /** The consent, recorded with the subscriber. */
  consent?: Omit<Consent, 'at'> | undefined;
  language?: string | undefined;
  country?: string | undefined;
  ip?: string | undefined;
};

/** Creates a subscriber. @throws 409 `email_taken` or `phone_taken` if the address exists */
export async function createSubscriber(
  tx: Tx,
  accountId: number,
  input: NewSubscriber,
): Promise<SubscriberRow> {
  const addresses = readAddresses(input, input.country);
  if (!addresses.email_key && !addresses.phone_key) {
    throw invalid({ email: ['subscribers:errors.no_address'] });
  }
  const row = await insert(tx, accountId, input, addresses);
  if (row) return row;
  const owners = await findAddressOwners(tx, accountId, addresses);
  const field = owners.some((owner) => owner.email_key === addresses.email_key && owner.email_key)
    ? 'email'
    : 'phone';
  throw addressTakenError(field);
}

async function insert(
  tx: Tx,
  accountId: number,
  input: NewSubscriber,
  addresses: Partial<Addresses>,
): Promise<SubscriberRow | undefined> {
  const at = clock.now();
  const emailKey = addresses.email_key ?? null;
  const phoneKey = addresses.phone_key ?? null;
  const suppressions = await findSuppressionReasons(tx, accountId, { emailKey, phoneKey });
  const values = Object.entries(input.fieldValues ?? {}).filter(([, value]) => value !== null);
  const row = await store.insertSubscriber(tx, accountId, {
    email: addresses.email ?? null,
    email_key: emailKey,
    phone: addresses.phone ?? null,
    phone_key: phoneKey,
    firstname: parseName(input.firstname) ?? null,
    lastname: parseName(input.lastname) ?? null,
    field_values: JSON.stringify(Object.fromEntries(values)),
    ...resolveFirstStatuses({ emailKey, phoneKey }, input.statuses ?? {}, suppressions),
    mailbox: emailKey ? getMailbox(emailKey) : 0,
    language: input.language ?? null,
    country: input.country ?? null,
    ip: input.ip ?? null,
    source: input.source,
    created_at: at,
    modified_at: at,
  });
  if (!row) return undefined;
  await countSubscribers(tx, accountId, 1);
  await markAccount(tx, accountId, 'subscriber_added_at');
  const requestedStatuses = resolveFirstStatuses({ emailKey, phoneKey }, input.statuses ?? {}, {});
  await logClosed(tx, accountId, row, { requestedStatuses, suppressionReasons: suppressions });
  await linkSuppressionsOfSubscriber(tx, accountId, row, suppressions);
  if (input.consent) await insertConsents(tx, accountId, [row.id], { ...input.consent, at });
  await subscribersCreated.announce(tx, {
    accountId,
    subscriberIds: [row.id],
    source: input.source,
    ...causeOf(input),
  });
  return row;
}

/** Records that suppressed channels have no consent, which matters once the suppression ends. */
async function logClosed(
  tx: Tx,
  accountId: number,
  row: SubscriberRow,
  resolution: {
    requestedStatuses: ReturnType<typeof resolveFirstStatuses>;
    suppressionReasons: Partial<Record<Channel, SuppressionReason>>;
  },
): Promise<void> {
  for (const [suppression, reason] of [
    ['bounced', 'hard_bounce'],
    ['manual', 'owner'],
  ] as const) {
    const previous = { ...row };
    for (const channel of CHANNELS) {
      const name = `${channel}_status` as const;
      if (
        resolution.suppressionReasons[channel] === suppression &&
        resolution.requestedStatuses[name] === 'non-subscribed'
      )
        previous[name] = 'non-subscribed';
    }
    await logStatuses(tx, accountId, previous, row, { reason, at: row.created_at });
  }
}

/** Forms, the API and stores start workflows; manual changes do not. */
function causeOf(input: SubscriberInput & { source?: string }): Cause {
  if (input.cause) return input.cause;
  const { source } = input;
  return { origin: source === 'form' || source === 'api' || source === 'store' ? source : 'bulk' };
}

/** Parses a name: undefined leaves it unchanged, null and blank text clear it. */
export function parseName(text: string | null | undefined): string | null | undefined {
  if (text === undefined) return undefined;
  const name = cutText(cleanText((text ?? '').trim()), MAX_NAME_LENGTH);
  return name === '' ? null : name;
}

/**
 * Creates the subscriber, or updates the one with the email address. If there is none, updates the
 * subscriber with the phone number, unless that subscriber has another email address. Given names
 * and values replace the existing ones; a phone number of another subscriber is ignored. Never
 * resubscribes.
 */
export async function upsertSubscriber(
  tx: Tx,
  accountId: number,
  input: NewSubscriber,
): Promise<{ row: SubscriberRow; isNew: boolean }> {
  const addresses = readAddresses(input, input.country);
  if (!addresses.email_key && !addresses.phone_key) {
    throw invalid({ email: ['subscribers:errors.no_address'] });
  }
  for (let attempt = 1; ; attempt++) {
    const owners = await findAddressOwners(tx, accountId, addresses);
    const match =
      owners.find((other) => addresses.email_key && other.email_key === addresses.email_key) ??
      owners.find((other) => !addresses.email_key || other.email_key === null);
    if (match) {
      const change = () => changeFound(tx, accountId, match.id, input, owners);
      const isMoved =
        match.email_key !== (addresses.email_key ?? match.email_key) ||
        match.phone_key !== (addresses.phone_key ?? match.phone_key);
      const row = await (isMoved ? inSavepoint(tx, change).catch(ignoreTaken) : change());
      if (row) return { row, isNew: false };
    } else {
      const free = owners.length > 0 ? { ...addresses, phone: null, phone_key: null } : addresses;
      const row = await insert(tx, accountId, input, free);
      if (row) return { row, isNew: true };
    }
    // Another transaction created or removed the same address concurrently: retry.
    if (attempt >= 3) throw new AppError('in_progress');
  }
}

/**
 * Converts a conflict with an address that another transaction added since the lookup to undefined;
 * throws all other errors.
 */
function ignoreTaken(error: unknown): undefined {
  const isConflict = error instanceof AppError && /^(email|phone)_taken$/.test(error.code);
  if (!isConflict) throw error;
}

async function changeFound(
  tx: Tx,
  accountId: number,
  id: number,
  input: NewSubscriber,
  otherRows: SubscriberRow[],
): Promise<SubscriberRow | undefined> {
  const isPhoneUsed = otherRows.some((other) => other.id !== id);
  const { email, phone, ...details } = input;
  const row = await store.lockSubscriber(tx, accountId, id);
  if (!row) return undefined;
  const changedRow = await applyChange(tx, accountId, row, {
    ...details,
    ...(email && row.email_key === null ? { email } : {}),
    ...(phone && !isPhoneUsed ? { phone } : {}),
  });
  if (input.consent) {
    await insertConsents(tx, accountId, [id], { ...input.consent, at: clock.now() });
  }
  return changedRow;
}

/**
 * Updates one subscriber. @throws `not_found`; 409 `email_taken`, `phone_taken`; 422 if no address
 * would remain
 */
export async function updateSubscriber(
  tx: Tx,
  accountId: number,
  id: number,
  change: SubscriberInput,
): Promise<SubscriberRow> {
  const row = await store.lockSubscriber(tx, accountId, id);
  if (!row) throw notFound();
  return applyChange(tx, accountId, row, change);
}

async function applyChange(
  tx: Tx,
  accountId: number,
  row: SubscriberRow,
  change: SubscriberInput,
): Promise<SubscriberRow> {
  const at = clock.now();
  const addresses = await resolveChangedAddresses(tx, accountId, row, change);
  const names: { firstname?: string | null; lastname?: string | null } = {};
  const firstname = parseName(change.firstname);
  const lastname = parseName(change.lastname);
  if (firstname !== undefined && firstname !== row.firstname) names.firstname = firstname;
  if (lastname !== undefined && lastname !== row.lastname) names.lastname = lastname;
  const fieldIds = await changeValues(tx, accountId, row, change.fieldValues ?? {}, at);
  if (!addresses && Object.keys(names).length === 0 && fieldIds.length === 0) return row;
  const columns = { ...addresses?.columns, ...names, modified_at: at };
  const changedRow = await store.updatePerson(tx, accountId, row.id, columns).catch((error) => {
    // The unique indexes decide because two calls may request one address concurrently.
    const field = store.findConflictingAddress(error);
    throw field ? addressTakenError(field) : error;
  });
  if (addresses)
    await linkSuppressionsOfSubscriber(tx, accountId, changedRow, addresses.suppressionReasons);
  const previous = { ...row, ...addresses?.previousStatuses };
  await logStatuses(tx, accountId, previous, changedRow, { reason: 'address_changed', at });
  await subscribersUpdated.announce(tx, {
    ...{ accountId, subscriberIds: [row.id], fieldIds },
    ...causeOf(change),
  });
  return changedRow;
}

async function changeValues(
  tx: Tx,
  accountId: number,
  row: SubscriberRow,
  values: Record<number, FieldValue | null>,
  at: Date,
): Promise<number[]> {
  const { set, remove, fieldIds } = diffFieldValues(row, values);
  if (fieldIds.length === 0) return [];
  await store.patchValues(tx, accountId, row.id, { set, remove, at });
  return fieldIds;
}

/** Returns the values that differ from the subscriber's, divided into set and removed ones. */
export function diffFieldValues(row: SubscriberRow, values: Record<number, FieldValue | null>) {
  const currentValues = row.field_values as Record<string, FieldValue>;
  const newValues: Record<string, FieldValue> = {};
  const remove: string[] = [];
  for (const [id, value] of Object.entries(values)) {
    if (value === null) {
      if (id in currentValues) remove.push(id);
    } else if (currentValues[id] !== value) newValues[id] = value;
  }
  return { set: newValues, remove, fieldIds: [...Object.keys(newValues), ...remove].map(Number) };
}

/**
 * Returns one subscriber. @throws `not_found`, also for deleted subscribers and subscribers of
 * other accounts
 */
export async function readSubscriber(
  db: Reader,
  accountId: number,
  id: number,
): Promise<SubscriberRow> {
  const row = await store.findPerson(db, accountId, id);
  if (!row) throw notFound();
  return row;
}

/**
 * Returns subscribers by id, unordered; deleted subscribers and subscribers of other accounts are
 * omitted.
 */
export function readSubscribers(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<SubscriberRow[]> {
  return store.findSubscribers(db, accountId, ids);
}

/** Finds the subscriber with an address as typed, if any. */
export async function findSubscriber(
  db: Reader,
  accountId: number,
  address: { email?: string; phone?: string },
): Promise<SubscriberRow | undefined> {
  const email = address.email === undefined ? undefined : parseEmail(address.email);
  const phone = address.phone === undefined ? undefined : parsePhone(address.phone);
  const rows = await store.findByAddresses(db, accountId, {
    emails: typeof email === 'object' ? [email.key] : [],
    phones: typeof phone === 'object' ? [phone.phone] : [],
  });
  return rows[0];
}

export type FoundAmong = {
  idByInput: Map<string, number>;
  invalidInputs: Set<string>;
  /** The subscribers, each once. */
  rows: SubscriberRow[];
};

/** Returns the ids of subscribers by their addresses as typed, and the invalid addresses. */
export async function resolveAddresses(
  db: Reader,
  accountId: number,
  addresses: readonly string[],
): Promise<FoundAmong> {
  const emails = new Map<string, string>();
  const phones = new Map<string, string>();
  const invalidInputs = new Set<string>();
  for (const entry of addresses) {
    const email = entry.includes('@') ? parseEmail(entry) : undefined;
    const phone = email === undefined ? parsePhone(entry) : undefined;
    if (typeof email === 'object') emails.set(entry, email.key);
    else if (typeof phone === 'object') phones.set(entry, phone.phone);
    else invalidInputs.add(entry);
  }
  const keys = { emails: [...emails.values()], phones: [...phones.values()] };
  const rows = addresses.length > 0 ? await store.findByAddresses(db, accountId, keys) : [];
  const byKey = new Map(
    rows.flatMap((row) => [[row.email_key, row.id] as const, [row.phone_key, row.id] as const]),
  );
  const byAddress = new Map<string, number>();
  for (const [entry, key] of [...emails, ...phones]) {
    const id = byKey.get(key);
    if (id !== undefined) byAddress.set(entry, id);
  }
  return { idByInput: byAddress, invalidInputs, rows };
}
