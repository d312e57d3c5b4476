// SQL of imports into subscribers. Within one transaction, a batch is staged by COPY, merged by a
// few statements over all of its rows, and deleted. A batch of only new subscribers is copied into
// the final tables instead. Each address is in a batch once.
import { type RawBuilder, sql } from 'kysely';
import type { CopyIn, Reader, Tx } from '#platform/server/database/database.ts';
import { textArray } from '#platform/server/database/text-array.ts';
import { CHANNELS, type Channel, type SubscriptionStatus } from '../shared.ts';

export const STAGED_COLUMNS = [
  'account_id',
  'import_id',
  'row_number',
  'email',
  'email_key',
  'phone_key',
  'firstname',
  'lastname',
  'field_values',
  'email_status',
  'temail_status',
  'sms_status',
  'tsms_status',
  'stated_email_status',
  'stated_sms_status',
  'mailbox',
  'consent_at',
  'unsubscribed_at',
] as const;

export interface BatchKey {
  accountId: number;
  importId: number;
  at: Date;
}

export function copyStaged(copy: CopyIn, rows: Iterable<Buffer>): Promise<void> {
  return copy(`copy staged_people (${STAGED_COLUMNS.join(', ')}) from stdin`, rows);
}

/**
 * Makes the planner use the indexes row by row for the merge. The staging table is constantly
 * filled and emptied, so with its estimates the planner would read all subscribers for each batch.
 */
export async function preferIndexes(tx: Tx): Promise<void> {
  await sql`set local enable_hashjoin = off`.execute(tx);
  await sql`set local enable_mergejoin = off`.execute(tx);
}

/** The existing addresses and numbers among these. */
export async function findKnown(
  tx: Tx,
  accountId: number,
  keys: { emails: readonly string[]; phones: readonly string[] },
): Promise<Set<string>> {
  const known = new Set<string>();
  for (const [column, requestedKeys] of [
    ['email_key', keys.emails],
    ['phone_key', keys.phones],
  ] as const) {
    if (requestedKeys.length === 0) continue;
    const key = sql.ref(column);
    const { rows } = await sql<{ keys: string[] | null }>`
      select array_agg(${key}) as keys from subscribers
      where account_id = ${accountId} and ${key} = any(${textArray(requestedKeys)}::text[]) and deleted_at is null
    `.execute(tx);
    for (const found of rows[0]?.keys ?? []) known.add(found);
  }
  return known;
}

/** Subscriber ids by these addresses and numbers. */
export async function idsByAddress(
  tx: Tx,
  accountId: number,
  keys: { emails: readonly string[]; phones: readonly string[] },
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const [column, requestedKeys] of [
    ['email_key', keys.emails],
    ['phone_key', keys.phones],
  ] as const) {
    if (requestedKeys.length === 0) continue;
    const key = sql.ref(column);
    const { rows } = await sql<{ id: number; key: string }>`
      select id, ${key} as key from subscribers
      where account_id = ${accountId} and ${key} = any(${requestedKeys}::text[]) and deleted_at is null
    `.execute(tx);
    for (const row of rows) found.set(row.key, row.id);
  }
  return found;
}

/** Draws ascending ids for subscribers to be copied in. */
export async function takeIds(tx: Tx, count: number): Promise<number[]> {
  const { rows } = await sql<{ ids: number[] }>`
    with held as materialized (
      select pg_get_serial_sequence('subscribers', 'id')::regclass as sequence
    )
    select array_agg(nextval(sequence)) as ids from held, generate_series(1, ${count}::int)
  `.execute(tx);
  return rows[0]?.ids ?? [];
}

export function copyPeople(copy: CopyIn, lines: Iterable<Buffer>): Promise<void> {
  return copy(
    `copy subscribers (account_id, id, email, email_key, phone, phone_key, firstname, lastname,
      field_values, email_status, temail_status, sms_status, tsms_status, mailbox, import_id,
      unsubscribed_at, bounced_at, created_at, modified_at, source) from stdin`,
    lines,
  );
}

export function copyConsents(copy: CopyIn, lines: Iterable<Buffer>): Promise<void> {
  return copy(
    `copy consents (account_id, subscriber_id, at, channel, source_id, user_id, kind, source) from stdin`,
    lines,
  );
}

export function copyStatusChanges(copy: CopyIn, lines: Iterable<Buffer>): Promise<void> {
  return copy(
    `copy status_changes (account_id, subscriber_id, at, channel, from_status, to_status, reason) from stdin`,
    lines,
  );
}

/**
 * Whether the account has suppressions. Most accounts have none at their first import, which then
 * needs to hash no address.
 */
export async function hasSuppressions(db: Reader, accountId: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from suppressions where account_id = ${accountId}) as found
  `.execute(db);
  return rows[0]?.found === true;
}

/** Whether any address was suppressed since an instant: one lookup at the end of an index. */
export async function hasSuppressionsSince(
  db: Reader,
  accountId: number,
  since: Date,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from suppressions
      where account_id = ${accountId} and channel = any(${[...CHANNELS]}::text[])
        and created_at >= ${since}) as found
  `.execute(db);
  return rows[0]?.found === true;
}

/**
 * SQL: a join that binds an insert of rows of another part of the statement to the account's node;
 * a cluster sends them to every node otherwise.
 */
const joinAccount = ({ accountId }: BatchKey) =>
  sql`cross join (select 1 from accounts where id = ${accountId}) account`;

/**
 * Gives subscribers without an email address the address that the file has for their phone number.
 * Stores the previous values for undo. Other values of the row are merged later, as for any
 * existing subscriber.
 */
export async function adoptAddresses(tx: Tx, batch: BatchKey): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with adopting as materialized (
      select s.id, s.firstname, s.lastname, s.phone_key, s.field_values, s.email_status,
        s.temail_status, s.sms_status, st.email, st.email_key, st.mailbox,
        ${statusWhenAdopted('email')} as new_email, ${statusWhenAdopted('temail')} as new_temail,
        ${statusAfter('sms')} as new_sms,
        st.firstname as new_firstname, st.lastname as new_lastname, st.field_values as new_values
      from staged_people st
      join subscribers s on s.account_id = ${batch.accountId} and s.phone_key = st.phone_key
        and s.deleted_at is null and s.email_key is null
      where st.account_id = ${batch.accountId} and st.import_id = ${batch.importId}
        and st.email_key is not null
        and not exists (
          select 1 from subscribers o
          where o.account_id = ${batch.accountId} and o.email_key = st.email_key and o.deleted_at is null
        )
      -- current rows: waits for concurrent opt-outs and erasures, then reads their rows again
      order by s.id for update of s
    ), imaged as (
      insert into import_images (account_id, import_id, subscriber_id, at, before, after)
      select ${batch.accountId}::bigint, ${batch.importId}::bigint, id, ${batch.at}::timestamptz,
        jsonb_build_object('email', null, 'email_status', email_status, 'temail_status', temail_status,
          'firstname', firstname, 'lastname', lastname, 'phone', phone_key, 'sms_status', sms_status,
          'values', field_values),
        jsonb_build_object('email', email_key, 'email_status', new_email, 'temail_status', new_temail,
          'firstname', coalesce(new_firstname, firstname), 'lastname', coalesce(new_lastname, lastname),
          -- the following merge writes it
          'phone', phone_key, 'sms_status', new_sms, 'values', new_values)
      from adopting ${joinAccount(batch)}
    ), input as (
      insert into status_changes (account_id, subscriber_id, at, channel, from_status, to_status, reason)
      select ${batch.accountId}::bigint, id, ${batch.at}::timestamptz, 'email', email_status, new_email, 'import'
      from adopting ${joinAccount(batch)} where new_email <> email_status
      union all
      select ${batch.accountId}::bigint, id, ${batch.at}::timestamptz, 'temail', temail_status, new_temail, 'import'
      from adopting ${joinAccount(batch)} where new_temail <> temail_status
    )
    update subscribers s
    set email = a.email, email_key = a.email_key, mailbox = a.mailbox,
        email_status = a.new_email, temail_status = a.new_temail, modified_at = ${batch.at}
    from adopting a
    where s.account_id = ${batch.accountId} and s.id = a.id
    returning s.id
  `.execute(tx);
  return rows.map((row) => row.id);
}

/**
 * Removes numbers from staged rows that belong to another subscriber, with the SMS statuses of
 * these rows. Returns the affected rows.
 */
export async function dropUsedPhones(tx: Tx, batch: BatchKey): Promise<number[]> {
  const { rows } = await sql<{ row_number: number }>`
    update staged_people st
    set phone_key = null, sms_status = 'non-subscribed', tsms_status = 'non-subscribed',
      stated_sms_status = null
    from subscribers s
    where st.account_id = ${batch.accountId} and st.import_id = ${batch.importId}
      and s.account_id = ${batch.accountId} and s.phone_key = st.phone_key and s.deleted_at is null
      and st.email_key is not null and s.email_key is distinct from st.email_key
    returning st.row_number
  `.execute(tx);
  return rows.map((row) => row.row_number);
}

export interface Consent {
  userId: number | null;
  channels: ReadonlyArray<'email' | 'sms'>;
  /** Whether some rows of the batch have a consent date. */
  hasDates: boolean;
}

/**
 * Creates the staged subscribers who do not exist yet, with their consent and the history of
 * statuses that are not the usual initial ones.
 */
export async function insertStaged(tx: Tx, batch: BatchKey, consent: Consent): Promise<number[]> {
  const { rows } = await sql<{ ids: number[] | null }>`
    with fresh as (
      insert into subscribers (account_id, email, email_key, phone, phone_key, firstname, lastname,
        field_values, email_status, temail_status, sms_status, tsms_status, mailbox, source,
        import_id, unsubscribed_at, bounced_at, created_at, modified_at)
      select account_id, email, email_key, phone_key, phone_key, firstname, lastname,
        field_values, email_status, temail_status, sms_status, tsms_status, mailbox, 'import',
        import_id, case when email_status = 'unsubscribed' then coalesce(unsubscribed_at, ${batch.at}) end,
        case when email_status = 'bounced' then ${batch.at}::timestamptz end, ${batch.at}, ${batch.at}
      from staged_people
      where account_id = ${batch.accountId} and import_id = ${batch.importId}
      order by email_key
      on conflict do nothing
      returning account_id, id, import_id, email_key, phone_key, email_status, sms_status
    ), strangers as materialized (
      -- rows with a suppressed address on a channel without consent: few, so the join is small
      select email_key, phone_key, ${isStranger(consent, 'email')} as by_email, ${isStranger(consent, 'sms')} as by_sms
      from staged_people
      where account_id = ${batch.accountId} and import_id = ${batch.importId}
        and (${isStranger(consent, 'email')} or ${isStranger(consent, 'sms')})
    ), input as (
      insert into status_changes (account_id, subscriber_id, at, channel, from_status, to_status, reason)
      select f.account_id, f.id, ${batch.at}::timestamptz, 'email',
        case when n.by_email then 'non-subscribed'::subscription_status end, f.email_status, 'import'
      from fresh f ${joinAccount(batch)} left join strangers n on n.email_key = f.email_key
      where f.email_key is not null and f.email_status <> 'active'
      union all
      select f.account_id, f.id, ${batch.at}::timestamptz, 'sms',
        case when n.by_sms then 'non-subscribed'::subscription_status end, f.sms_status, 'import'
      from fresh f ${joinAccount(batch)} left join strangers n on n.phone_key = f.phone_key
      where f.phone_key is not null and f.sms_status not in ('active', 'non-subscribed')
    )${sql.join(
      consent.channels.map((channel) => recordConsent(batch, consent, channel)),
      sql``,
    )}
    select array_agg(id) as ids from fresh
  `.execute(tx);
  return rows[0]?.ids ?? [];
}

function isStranger(consent: Consent, channel: 'email' | 'sms'): RawBuilder<unknown> {
  const fileStatus = sql.ref(`stated_${channel}_status`);
  const otherwise = consent.channels.includes(channel) ? 'active' : 'non-subscribed';
  return sql`(${sql.ref(`${channel}_status`)} not in ('active', 'non-subscribed')
    and coalesce(${fileStatus}, ${otherwise}::subscription_status) = 'non-subscribed')`;
}

function recordConsent(
  batch: BatchKey,
  consent: Consent,
  channel: 'email' | 'sms',
): RawBuilder<unknown> {
  const status = sql.ref(`fresh.${channel}_status`);
  const at = consent.hasDates
    ? sql`coalesce(st.consent_at, ${batch.at})`
    : sql`${batch.at}::timestamptz`;
  const staged = consent.hasDates
    ? sql`join staged_people st on st.account_id = ${batch.accountId} and st.import_id = ${batch.importId}
        and st.email_key is not distinct from fresh.email_key
        and (fresh.email_key is not null or st.phone_key = fresh.phone_key)`
    : sql``;
  return sql`, ${sql.ref(`consented_${channel}`)} as (
    insert into consents (account_id, subscriber_id, at, channel, kind, source, source_id, user_id)
    select fresh.account_id, fresh.id, ${at}, ${channel}, 'attested', 'import', fresh.import_id, ${consent.userId}::bigint
    from fresh ${joinAccount(batch)} ${staged}
    where ${status} = 'active'
  )`;
}

export interface MatchedStaged {
  updated: number[] | null;
  unchanged: number[] | null;
  /** Rows of subscribers whose email status was unsubscribed, reported or bounced and stays so. */
  kept: number[] | null;
  changes: Array<{ id: number; channel: 'email' | 'sms'; to: SubscriptionStatus }> | null;
}

/**
 * Updates existing subscribers with the names, phone numbers and values in the file. A status
 * changes as in `statusAfter`, and SMS statuses with a new phone number as in `statusWithNumber`.
 */
// oxlint-disable-next-line eslint/max-lines-per-function -- One statement.
export async function updateMatched(
  tx: Tx,
  batch: BatchKey,
  by: 'email_key' | 'phone_key',
): Promise<MatchedStaged> {
  const onlyPhones = by === 'phone_key' ? sql`and st.email_key is null` : sql``;
  const key = sql.ref(by);
  const { rows } = await sql<MatchedStaged>`
    with matched as materialized (
      select s.id, st.row_number, st.phone_key, st.firstname, st.lastname, st.field_values,
        st.unsubscribed_at, s.email_status as old_email, s.sms_status as old_sms,
        s.firstname as old_firstname, s.lastname as old_lastname, s.phone_key as old_phone,
        s.field_values as old_values, s.temail_status as old_temail,
        s.tsms_status as old_tsms, ${statusAfter('email')} as new_email,
        ${statusWithNumber('sms')} as new_sms, ${statusWithNumber('tsms')} as new_tsms,
        (coalesce(st.firstname, s.firstname) is distinct from s.firstname
          or coalesce(st.lastname, s.lastname) is distinct from s.lastname
          or coalesce(st.phone_key, s.phone_key) is distinct from s.phone_key
          or not s.field_values @> st.field_values) as is_changed
      from staged_people st
      join subscribers s on s.account_id = ${batch.accountId} and s.${key} = st.${key} and s.deleted_at is null
      where st.account_id = ${batch.accountId} and st.import_id = ${batch.importId} ${onlyPhones}
        and s.import_id is distinct from ${batch.importId}
      -- current rows: waits for concurrent opt-outs and erasures, then reads their rows again
      order by s.id for update of s
    ), updated as (
      update subscribers s
      set firstname = coalesce(m.firstname, s.firstname), lastname = coalesce(m.lastname, s.lastname),
        phone = coalesce(m.phone_key, s.phone), phone_key = coalesce(m.phone_key, s.phone_key),
        field_values = s.field_values || m.field_values,
        email_status = m.new_email, sms_status = m.new_sms,
        temail_status = case when m.new_email = 'bounced' and s.temail_status in ('active', 'non-subscribed')
          then 'bounced' else s.temail_status end,
        tsms_status = m.new_tsms,
        unsubscribed_at = case when m.new_email = 'unsubscribed' and m.old_email <> 'unsubscribed'
          then coalesce(m.unsubscribed_at, ${batch.at}) else s.unsubscribed_at end,
        bounced_at = case when m.new_email = 'bounced' and m.old_email <> 'bounced'
          then ${batch.at}::timestamptz else s.bounced_at end,
        modified_at = ${batch.at}
      from matched m
      where s.account_id = ${batch.accountId} and s.id = m.id
        and (m.is_changed or m.new_email <> m.old_email or m.new_sms <> m.old_sms)
      returning s.id
    ), imaged as (
      -- the previous values, for the undo; a subscriber who just got an address already has an image
      insert into import_images (account_id, import_id, subscriber_id, at, before, after)
      select ${batch.accountId}::bigint, ${batch.importId}::bigint, id, ${batch.at}::timestamptz,
        jsonb_build_object('firstname', old_firstname, 'lastname', old_lastname, 'phone', old_phone,
          'values', old_values, 'email_status', old_email, 'temail_status', old_temail,
          'sms_status', old_sms, 'tsms_status', old_tsms),
        jsonb_build_object('firstname', coalesce(firstname, old_firstname),
          'lastname', coalesce(lastname, old_lastname), 'phone', coalesce(phone_key, old_phone),
          'values', field_values, 'email_status', new_email, 'temail_status', old_temail,
          'sms_status', new_sms, 'tsms_status', new_tsms)
      from matched ${joinAccount(batch)}
      where is_changed or new_email <> old_email or new_sms <> old_sms
      on conflict (account_id, import_id, subscriber_id) do nothing
    ), input as (
      insert into status_changes (account_id, subscriber_id, at, channel, from_status, to_status, reason)
      select ${batch.accountId}::bigint, id, ${batch.at}::timestamptz, 'email', old_email, new_email, 'import'
      from matched ${joinAccount(batch)} where new_email <> old_email
      union all
      select ${batch.accountId}::bigint, id, ${batch.at}::timestamptz, 'sms', old_sms, new_sms, 'import'
      from matched ${joinAccount(batch)} where new_sms <> old_sms
      returning subscriber_id, channel, to_status
    )
    select
      (select array_agg(id) from updated) as updated,
      array_agg(id) filter (where not is_changed and new_email = old_email and new_sms = old_sms) as unchanged,
      array_agg(row_number) filter (where old_email in ('unsubscribed', 'reported', 'bounced')) as kept,
      (select json_agg(json_build_object('id', subscriber_id, 'channel', channel, 'to', to_status))
        from input) as changes
    from matched
  `.execute(tx);
  return rows[0] ?? { updated: null, unchanged: null, kept: null, changes: null };
}

/**
 * SQL: the status of a subscriber with a new address: still unsubscribed or reported, otherwise the
 * staged status.
 */
export function statusWhenAdopted(channel: Channel): RawBuilder<unknown> {
  const now = sql.ref(`s.${channel}_status`);
  return sql`case when ${now} in ('unsubscribed', 'reported') then ${now}
    else ${sql.ref(`st.${channel}_status`)} end`;
}

/**
 * SQL: the SMS status after the import. A new phone number gets the staged status, because consent
 * for the previous number does not apply to it. `isFree` is false if the number stays with another
 * subscriber.
 */
export function statusWithNumber(
  channel: 'sms' | 'tsms',
  isFree: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const now = sql.ref(`s.${channel}_status`);
  return sql`case when st.phone_key <> coalesce(s.phone_key, '')
      then case when ${isFree} then ${statusWhenAdopted(channel)} else ${now} end
    else ${channel === 'sms' ? statusAfter(channel) : now} end`;
}

/**
 * SQL: the status after the import. An active or non-subscribed subscriber gets a worse status of
 * the file, and a non-subscribed one with an address can become active.
 */
export function statusAfter(channel: 'email' | 'sms'): RawBuilder<unknown> {
  const fileStatus = sql.ref(`st.stated_${channel}_status`);
  const now = sql.ref(`s.${channel}_status`);
  const reach = channel === 'email' ? sql.ref('s.email_key') : sql.ref('s.phone_key');
  return sql`case
    when ${fileStatus} in ('unsubscribed', 'bounced', 'reported') and ${now} in ('active', 'non-subscribed') then ${fileStatus}
    when ${fileStatus} = 'active' and ${now} = 'non-subscribed' and ${reach} is not null then ${fileStatus}
    else ${now} end`;
}

export async function deleteStaged(tx: Tx, batch: BatchKey): Promise<void> {
  await sql`
    delete from staged_people where account_id = ${batch.accountId} and import_id = ${batch.importId}
  `.execute(tx);
}
