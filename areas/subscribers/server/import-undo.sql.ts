// SQL for the undo of an import. The import stores an image of each subscriber that it changes: the
// values before and after the import. The undo restores these images and finds the subscribers that
// the import created.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { Channel, SubscriptionStatus } from '../shared.ts';

type Values = Record<string, string | number>;

/** One side of an image: the values before the import, or after it. */
export interface ImageSide {
  /** Set only if the import added an email address to the subscriber. */
  email?: string | null;
  firstname: string | null;
  lastname: string | null;
  phone: string | null;
  values: Values;
  email_status: SubscriptionStatus;
  temail_status: SubscriptionStatus;
  sms_status: SubscriptionStatus;
  /** Missing if the import added an email address to the subscriber, and in older images. */
  tsms_status?: SubscriptionStatus;
}

export interface SubscriberImage {
  subscriber_id: number;
  at: Date;
  before: ImageSide;
  after: ImageSide;
}

/** Deletes and returns the next images, in the transaction that restores them. */
export async function claimImages(
  tx: Tx,
  accountId: number,
  importId: number,
  limit: number,
): Promise<SubscriberImage[]> {
  const { rows } = await sql<SubscriberImage>`
    with slice as materialized (
      select subscriber_id from import_images
      where account_id = ${accountId} and import_id = ${importId}
      order by subscriber_id limit ${limit} for update
    )
    delete from import_images i using slice
    where i.account_id = ${accountId} and i.import_id = ${importId}
      and i.subscriber_id = slice.subscriber_id
    returning i.subscriber_id, i.at, i.before, i.after`.execute(tx);
  return rows;
}

export interface PresentSubscriber {
  id: number;
  email_key: string | null;
  firstname: string | null;
  lastname: string | null;
  phone_key: string | null;
  field_values: Values;
  email_status: SubscriptionStatus;
  temail_status: SubscriptionStatus;
  sms_status: SubscriptionStatus;
  tsms_status: SubscriptionStatus;
}

export async function lockExistingSubscribers(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
): Promise<PresentSubscriber[]> {
  const { rows } = await sql<PresentSubscriber>`
    select id, email_key, firstname, lastname, phone_key, field_values, email_status, temail_status,
      sms_status, tsms_status
    from subscribers
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[]) and deleted_at is null
    order by id for update`.execute(tx);
  return rows;
}

/** Finds statuses that changed after the image was stored, as `<subscriber id> <channel>`. */
export async function findChangedSince(
  tx: Tx,
  accountId: number,
  images: readonly SubscriberImage[],
): Promise<Set<string>> {
  const { rows } = await sql<{ subscriber_id: number; channel: Channel }>`
    select distinct c.subscriber_id, c.channel
    from unnest(${images.map((image) => image.subscriber_id)}::bigint[],
      ${images.map((image) => image.at)}::timestamptz[]) as given (id, at)
    join status_changes c on c.account_id = ${accountId} and c.subscriber_id = given.id
      and c.at > given.at`.execute(tx);
  return new Set(rows.map((row) => `${row.subscriber_id} ${row.channel}`));
}

/** Returns the given numbers that a subscriber uses now. */
export async function findUsedPhones(
  tx: Tx,
  accountId: number,
  phones: readonly string[],
): Promise<Set<string>> {
  if (phones.length === 0) return new Set();
  const { rows } = await sql<{ phone_key: string }>`
    select phone_key from subscribers
    where account_id = ${accountId} and phone_key = any(${[...phones]}::text[])
      and deleted_at is null`.execute(tx);
  return new Set(rows.map((row) => row.phone_key));
}

export interface RestoredSubscriber extends PresentSubscriber {
  /** Whether the email address that the import added is removed again. */
  losesEmail: boolean;
}

export async function writeRestored(
  tx: Tx,
  accountId: number,
  subscribers: readonly RestoredSubscriber[],
  at: Date,
): Promise<void> {
  if (subscribers.length === 0) return;
  await sql`
    update subscribers s
    set firstname = r.firstname, lastname = r.lastname, phone = r.phone, phone_key = r.phone,
      field_values = r.field_values, email_status = r.email_status, temail_status = r.temail_status,
      sms_status = r.sms_status, tsms_status = r.tsms_status, email = case when r.loses_email then null else s.email end,
      email_key = case when r.loses_email then null else s.email_key end,
      mailbox = case when r.loses_email then 0 else s.mailbox end, modified_at = ${at}
    from json_to_recordset(${JSON.stringify(
      subscribers.map(({ phone_key, losesEmail, ...columns }) => ({
        ...columns,
        phone: phone_key,
        loses_email: losesEmail,
      })),
    )}::json) as r (id bigint, firstname text, lastname text, phone text, field_values jsonb,
      email_status subscription_status, temail_status subscription_status,
      sms_status subscription_status, tsms_status subscription_status, loses_email boolean)
    where s.account_id = ${accountId} and s.id = r.id
      and s.id = any(${subscribers.map((subscriber) => subscriber.id)}::bigint[])`.execute(tx);
}

export async function insertReturns(
  tx: Tx,
  accountId: number,
  changes: readonly { id: number; channel: Channel; from: string; to: string }[],
  at: Date,
): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    insert into status_changes (account_id, subscriber_id, at, channel, from_status, to_status, reason)
    select ${accountId}::bigint, id, ${at}::timestamptz, channel, from_status, to_status, 'import_undone'
    from unnest(${changes.map((change) => change.id)}::bigint[], ${changes.map((change) => change.channel)}::text[],
      ${changes.map((change) => change.from)}::subscription_status[],
      ${changes.map((change) => change.to)}::subscription_status[]) as given (id, channel, from_status, to_status)
    on conflict (account_id, subscriber_id, at, channel) do nothing`.execute(tx);
}

export interface MadeByImport {
  id: number;
  /** Whether details or a status of the subscriber changed after the import. */
  is_touched: boolean;
}

/** Returns the next subscribers created by an import, in the order of their ids. */
export async function findCreatedByImport(
  db: Reader,
  accountId: number,
  importId: number,
  after: number,
  limit: number,
): Promise<MadeByImport[]> {
  const { rows } = await sql<MadeByImport>`
    select s.id, s.modified_at > s.created_at or exists (
        select 1 from status_changes c
        where c.account_id = ${accountId} and c.subscriber_id = s.id and c.at > s.created_at
      ) as is_touched
    from subscribers s
    where s.account_id = ${accountId} and s.id > ${after} and s.import_id = ${importId}
      and s.deleted_at is null
    order by s.id limit ${limit}`.execute(db);
  return rows;
}

/** Deletes up to `limit` images of one import; returns their number. */
export async function deleteUndoImages(
  tx: Tx,
  accountId: number,
  importId: number,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ subscriber_id: number }>`
    with slice as materialized (
      select subscriber_id from import_images
      where account_id = ${accountId} and import_id = ${importId}
      order by subscriber_id limit ${limit}
    )
    delete from import_images i using slice
    where i.account_id = ${accountId} and i.import_id = ${importId}
      and i.subscriber_id = slice.subscriber_id
    returning i.subscriber_id`.execute(tx);
  return rows.length;
}

/** Deletes the images that any import stored of these subscribers. */
export async function deleteUndoImagesOf(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<void> {
  await sql`
    delete from import_images
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::bigint[])`.execute(
    tx,
  );
}
