// The addresses of one subscriber: parsing, uniqueness within the account, and the effect of a
// change on statuses.
import type { Updateable } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import {
  getAddressField,
  CHANNELS,
  type Channel,
  getMailbox,
  toSubscriptionStatus,
  type SubscriptionStatus,
  type SuppressionReason,
} from '../shared.ts';
import { parseEmail } from './email-address.ts';
import { findByAddresses, type SubscriberRow } from './people.sql.ts';
import { parsePhone } from './phone-number.ts';
import { findNeverActive } from './statuses.sql.ts';
import { suppress, findSuppressionReasons } from './suppression.ts';

type WrittenAddresses = { email?: string | null | undefined; phone?: string | null | undefined };

export type Addresses = Pick<SubscriberRow, 'email' | 'email_key' | 'phone' | 'phone_key'>;

/** Parses addresses as typed. @throws 422 on the field of an invalid one */
export function readAddresses(input: WrittenAddresses, country?: string): Partial<Addresses> {
  const addresses: Partial<Addresses> = {};
  if (input.email === null || input.email === '')
    Object.assign(addresses, { email: null, email_key: null });
  else if (input.email !== undefined) {
    const email = parseEmail(input.email);
    if (typeof email === 'string') throw invalid({ email: [`subscribers:errors.${email}`] });
    Object.assign(addresses, { email: email.email, email_key: email.key });
  }
  if (input.phone === null || input.phone === '')
    Object.assign(addresses, { phone: null, phone_key: null });
  else if (input.phone !== undefined) {
    const phone = parsePhone(input.phone, country);
    if (typeof phone === 'string') throw invalid({ phone: [`subscribers:errors.${phone}`] });
    Object.assign(addresses, { phone: phone.phone, phone_key: phone.phone });
  }
  return addresses;
}

export const addressTakenError = (field: 'email' | 'phone') =>
  new AppError(`${field}_taken`, { errors: { [field]: [`subscribers:errors.${field}_taken`] } });

export const findAddressOwners = (tx: Reader, accountId: number, addresses: Partial<Addresses>) =>
  findByAddresses(tx, accountId, {
    emails: addresses.email_key ? [addresses.email_key] : [],
    phones: addresses.phone_key ? [addresses.phone_key] : [],
  });

/**
 * Returns the initial statuses: non-subscribed on a channel without an address, the status of the
 * suppression for a suppressed address, otherwise the requested one or the default.
 */
export function resolveFirstStatuses(
  keys: { emailKey: string | null; phoneKey: string | null },
  requestedStatuses: Partial<Record<Channel, SubscriptionStatus>>,
  suppressions: Partial<Record<Channel, SuppressionReason>>,
) {
  const statusOf = (channel: Channel, key: string | null, otherwise: SubscriptionStatus) => {
    const reason = suppressions[channel];
    if (reason) return toSubscriptionStatus(reason);
    return key === null ? 'non-subscribed' : (requestedStatuses[channel] ?? otherwise);
  };
  return {
    email_status: statusOf('email', keys.emailKey, 'active'),
    temail_status: statusOf('temail', keys.emailKey, 'active'),
    // A number alone is not consent to SMS, which is subscribed only with a recorded consent.
    sms_status: statusOf('sms', keys.phoneKey, 'non-subscribed'),
    tsms_status: statusOf('tsms', keys.phoneKey, 'active'),
  };
}

const isOptedOut = (status: SubscriptionStatus) =>
  status === 'reported' || status === 'unsubscribed';

type StatusName = `${Channel}_status`;
type Keys = { emailKey: string | null; phoneKey: string | null };

const keysOf = (row: SubscriberRow): Keys => ({ emailKey: row.email_key, phoneKey: row.phone_key });
const keyOf = (keys: Keys, channel: Channel) =>
  getAddressField(channel) === 'email' ? keys.emailKey : keys.phoneKey;

type ChangedAddresses = {
  columns: Updateable<DB['subscribers']>;
  /** Earlier statuses for the history, if they differ from the row. */
  previousStatuses: Partial<Record<StatusName, SubscriptionStatus | null>>;
  suppressionReasons: Partial<Record<Channel, SuppressionReason>>;
};

/**
 * Returns the changed addresses, or undefined without a change. @throws 409 if an address is taken,
 * 422 if none would remain
 */
export async function resolveChangedAddresses(
  tx: Tx,
  accountId: number,
  row: SubscriberRow,
  change: WrittenAddresses,
): Promise<ChangedAddresses | undefined> {
  const addresses = readAddresses(change);
  const isNewEmail = 'email_key' in addresses && addresses.email_key !== row.email_key;
  const isNewPhone = 'phone_key' in addresses && addresses.phone_key !== row.phone_key;
  const emailKey = 'email_key' in addresses ? (addresses.email_key ?? null) : row.email_key;
  const phoneKey = 'phone_key' in addresses ? (addresses.phone_key ?? null) : row.phone_key;
  if (emailKey === null && phoneKey === null) {
    throw invalid({ email: ['subscribers:errors.no_address'] });
  }
  if (!isNewEmail && !isNewPhone) return undefined;
  await refuseTaken(tx, accountId, row.id, {
    ...(isNewEmail ? { email_key: emailKey } : {}),
    ...(isNewPhone ? { phone_key: phoneKey } : {}),
  });
  const keys = { emailKey, phoneKey };
  const channels = CHANNELS.filter((channel) =>
    getAddressField(channel) === 'email' ? isNewEmail : isNewPhone,
  );
  const {
    next,
    was: previousStatuses,
    suppressed: suppressionReasons,
  } = await movedStatuses(tx, accountId, row, keys, channels);
  const columns = {
    ...(isNewEmail ? emailColumns(row, addresses.email ?? null, emailKey, next) : {}),
    ...(isNewPhone
      ? {
          phone: addresses.phone ?? null,
          phone_key: phoneKey,
          sms_status: next.sms_status,
          tsms_status: next.tsms_status,
        }
      : {}),
  };
  return { columns, previousStatuses, suppressionReasons };
}

/** @throws 409 if another subscriber has one of the addresses */
async function refuseTaken(
  tx: Tx,
  accountId: number,
  id: number,
  addresses: Partial<Pick<Addresses, 'email_key' | 'phone_key'>>,
): Promise<void> {
  const owners = await findAddressOwners(tx, accountId, addresses);
  const holder = owners.find((owner) => owner.id !== id);
  if (!holder) return;
  const isEmail = 'email_key' in addresses && holder.email_key === addresses.email_key;
  throw addressTakenError(isEmail ? 'email' : 'phone');
}

function emailColumns(
  row: SubscriberRow,
  email: string | null,
  emailKey: string | null,
  next: ReturnType<typeof resolveFirstStatuses>,
) {
  const isStillAway = next.email_status === 'unsubscribed' && row.email_status === 'unsubscribed';
  return {
    email,
    email_key: emailKey,
    mailbox: emailKey ? getMailbox(emailKey) : 0,
    email_status: next.email_status,
    temail_status: next.temail_status,
    unsubscribed_at: isStillAway ? row.unsubscribed_at : null,
    bounced_at: null,
  };
}

/**
 * Returns the statuses after addresses change. A new address gets initial statuses, but
 * unsubscribes and complaints apply to it as well, even after a time without an address. It does
 * not activate a subscriber who was never active.
 */
async function movedStatuses(
  tx: Tx,
  accountId: number,
  row: SubscriberRow,
  keys: Keys,
  channels: readonly Channel[],
) {
  const suppressions = await findSuppressionReasons(tx, accountId, keys);
  const free = resolveFirstStatuses(keys, {}, {});
  const next = resolveFirstStatuses(keys, {}, suppressions);
  const previous: ChangedAddresses['previousStatuses'] = {};
  for (const channel of channels) {
    const name = `${channel}_status` as const;
    const key = keyOf(keys, channel);
    const oldKey = keyOf(keysOf(row), channel);
    if (isOptedOut(row[name])) {
      if (next[name] === 'reported') continue;
      next[name] = row[name];
      if (key !== null) await moveSuppression(tx, accountId, row, channel, key);
      continue;
    }
    if (await isStranger(tx, accountId, row, channel)) free[name] = 'non-subscribed';
    if (next[name] === 'active') next[name] = free[name];
    if (key === null) {
      // The history distinguishes a removed address from one that never existed. A number is not
      // consent to SMS, so SMS needs no entry.
      if (oldKey !== null && row[name] === 'non-subscribed' && channel !== 'sms')
        previous[name] = null;
    } else if (oldKey === null && suppressions[channel]) previous[name] = free[name];
  }
  return { next, was: previous, suppressed: suppressions };
}

/**
 * Returns whether the subscriber never consented to the channel, regardless of earlier addresses.
 */
async function isStranger(
  tx: Tx,
  accountId: number,
  row: SubscriberRow,
  channel: Channel,
): Promise<boolean> {
  const status = row[`${channel}_status`];
  if (status === 'active') return false;
  if (status === 'non-subscribed' && keyOf(keysOf(row), channel) !== null) return true;
  return (await findNeverActive(tx, accountId, [row.id], channel)).has(row.id);
}

/** Suppresses the new address for the reason of the old one. */
async function moveSuppression(
  tx: Tx,
  accountId: number,
  row: SubscriberRow,
  channel: Channel,
  key: string,
): Promise<void> {
  const reasons = await findSuppressionReasons(tx, accountId, keysOf(row));
  const otherwise = row[`${channel}_status`] === 'reported' ? 'reported' : 'unsubscribed';
  await suppress(tx, accountId, [key], { channel, reason: reasons[channel] ?? otherwise });
}
