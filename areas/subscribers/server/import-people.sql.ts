// Queries for imports into subscribers. The subscribers of a batch who are certainly new are copied
// into the final tables. All other rows are staged by COPY, merged by a few statements and deleted,
// within one transaction. Each address occurs once in a batch.
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
 * filled and emptied, so by estimates the planner would read all subscribers for each batch.
 */
export async function preferIndexes(tx: Tx): Promise<void> {
  await sql`set local enable_hashjoin = off`.execute(tx);
  await sql`set local enable_mergejoin = off`.execute(tx);
}

/** Returns the given addresses and numbers that exist. */
export async function findExistingAddresses(
  tx: Tx,
  accountId: number,
  keys: { emails: readonly string[]; phones: readonly string[] },
): Promise<Set<string>> {
  const existingKeys = new Set<string>();
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
    for (const found of rows[0]?.keys ?? []) existingKeys.add(found);
  }
  return existingKeys;
}

/** Returns subscriber ids by these addresses and numbers. */
export async function mapIdsByAddress(
  tx: Tx,
  accountId: number,
  keys: { emails: readonly string[]; phones: readonly string[] },
): Promise<Map<string, number>> {
  const idsByKey = new Map<string, number>();
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
    for (const row of rows) idsByKey.set(row.key, row.id);
  }
  return idsByKey;
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

export function copyRecords(copy: CopyIn, lines: Iterable<Buffer>): Promise<void> {
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
 * Returns whether the account has suppressions. Most accounts have none at the first import, so no
 * address needs to be hashed.
 */
export async function hasSuppressions(db: Reader, accountId: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from suppressions where account_id = ${accountId}) as found
  `.execute(db);
  return rows[0]?.found === true;
}

/**
 * Returns whether any address was suppressed since an instant: one lookup at the end of an index.
 */
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

/** A status that an import changes. */
export interface ImportedChange<Of extends Channel = Channel> {
  id: number;
  channel: Of;
  from: SubscriptionStatus;
  to: SubscriptionStatus;
}

const changesOf = (channels: readonly Channel[], source: RawBuilder<unknown>) => {
  const selects = channels.map((channel) => {
    const [was, now] = [sql.ref(`old_${channel}`), sql.ref(`new_${channel}`)];
    return sql`select id, ${sql.lit(channel)} as channel, ${was} as "from", ${now} as "to"
      from ${source} where ${now} <> ${was}`;
  });
  return sql`(select json_agg(change) from (${sql.join(selects, sql` union all `)}) change)`;
};

/**
 * Returns an SQL condition for these staged rows and the existing subscribers with the same key.
 * Once the subscribers are locked, each of several statements finds the same rows.
 */
const areMatched = (
  { accountId, importId }: BatchKey,
  keyColumn: 'email_key' | 'phone_key',
  rowNumbers: readonly number[],
) => sql`
  s.account_id = ${accountId} and s.${sql.ref(keyColumn)} = st.${sql.ref(keyColumn)} and s.deleted_at is null
    and st.account_id = ${accountId} and st.import_id = ${importId}
    and st.row_number = any(${textArray(rowNumbers)}::bigint[])`;

export interface AdoptingStaged {
  ids: number[];
  rowNumbers: number[];
  changes: ImportedChange[];
}

/**
 * Locks subscribers without an email address if the file has their phone number with an email
 * address that no subscriber has.
 */
export async function lockAdopting(tx: Tx, batch: BatchKey): Promise<AdoptingStaged> {
  const { rows } = await sql<{ [Name in keyof AdoptingStaged]: AdoptingStaged[Name] | null }>`
    with adopting as materialized (
      select s.id, st.row_number, s.email_status as old_email, s.temail_status as old_temail,
        ${statusWhenAdopted('email')} as new_email, ${statusWhenAdopted('temail')} as new_temail
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
    )
    select array_agg(id) as ids, array_agg(row_number) as "rowNumbers",
      ${changesOf(['email', 'temail'], sql`adopting`)} as changes
    from adopting
  `.execute(tx);
  const { ids, rowNumbers, changes } = rows[0] ?? {};
  return { ids: ids ?? [], rowNumbers: rowNumbers ?? [], changes: changes ?? [] };
}

/** Records the old and new values of the subscribers locked by `lockAdopting`, for the undo. */
export async function saveAdoptingImages(
  tx: Tx,
  batch: BatchKey,
  rowNumbers: readonly number[],
): Promise<void> {
  await sql`
    insert into import_images (account_id, import_id, subscriber_id, at, before, after)
    with adopting as materialized (
      select s.account_id, st.import_id, s.id,
        jsonb_build_object('email', null, 'email_status', s.email_status,
          'temail_status', s.temail_status, 'firstname', s.firstname, 'lastname', s.lastname,
          'phone', s.phone_key, 'sms_status', s.sms_status, 'values', s.field_values) as before,
        jsonb_build_object('email', st.email_key, 'email_status', ${statusWhenAdopted('email')},
          'temail_status', ${statusWhenAdopted('temail')},
          'firstname', coalesce(st.firstname, s.firstname),
          'lastname', coalesce(st.lastname, s.lastname),
          -- updateMatched writes the following values later
          'phone', s.phone_key, 'sms_status', ${statusAfter('sms')}, 'values', st.field_values) as after
      from staged_people st join subscribers s on ${areMatched(batch, 'phone_key', rowNumbers)}
    )
    select account_id, import_id, id, ${batch.at}::timestamptz, before, after from adopting
  `.execute(tx);
}

/**
 * Sets the email address of the subscribers locked by `lockAdopting`. Other values of the row are
 * merged later, as for any existing subscriber.
 */
export async function adoptAddresses(
  tx: Tx,
  batch: BatchKey,
  rowNumbers: readonly number[],
): Promise<void> {
  await sql`
    update subscribers s
    set email = st.email, email_key = st.email_key, mailbox = st.mailbox,
        email_status = ${statusWhenAdopted('email')}, temail_status = ${statusWhenAdopted('temail')},
        modified_at = ${batch.at}
    from staged_people st
    where ${areMatched(batch, 'phone_key', rowNumbers)}
  `.execute(tx);
}

/**
 * Removes from staged rows the phone numbers that belong to another subscriber, and the SMS
 * statuses of these rows. Returns the affected rows.
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

export interface MatchedStaged {
  rowNumbers: number[];
  /** Ids of subscribers that the file changes, and their rows. */
  updated: number[];
  changedRows: number[];
  unchanged: number[];
  /** Rows of subscribers whose email status stays unsubscribed, reported or bounced. */
  unmailableRows: number[];
  changes: ImportedChange<'email' | 'sms'>[];
}

/**
 * Locks the existing subscribers and returns the changes in the file: names, phone numbers, values,
 * a status as in `statusAfter`, and SMS statuses with a new phone number as in `statusWithNumber`.
 */
export async function lockMatchedSubscribers(
  tx: Tx,
  batch: BatchKey,
  keyColumn: 'email_key' | 'phone_key',
): Promise<MatchedStaged> {
  const onlyPhones = keyColumn === 'phone_key' ? sql`and st.email_key is null` : sql``;
  const key = sql.ref(keyColumn);
  const { rows } = await sql<{ [Name in keyof MatchedStaged]: MatchedStaged[Name] | null }>`
    with matched as materialized (
      select s.id, st.row_number, s.email_status as old_email, s.sms_status as old_sms,
        ${statusAfter('email')} as new_email, ${statusWithNumber('sms')} as new_sms,
        (coalesce(st.firstname, s.firstname) is distinct from s.firstname
          or coalesce(st.lastname, s.lastname) is distinct from s.lastname
          or coalesce(st.phone_key, s.phone_key) is distinct from s.phone_key
          or not s.field_values @> st.field_values
          or ${statusAfter('email')} <> s.email_status
          or ${statusWithNumber('sms')} <> s.sms_status) as is_changed
      from staged_people st
      join subscribers s on s.account_id = ${batch.accountId} and s.${key} = st.${key} and s.deleted_at is null
      where st.account_id = ${batch.accountId} and st.import_id = ${batch.importId} ${onlyPhones}
      -- current rows: waits for concurrent opt-outs and erasures, then reads their rows again
      order by s.id for update of s
    )
    select array_agg(row_number) as "rowNumbers",
      array_agg(id) filter (where is_changed) as updated,
      array_agg(row_number) filter (where is_changed) as "changedRows",
      array_agg(id) filter (where not is_changed) as unchanged,
      array_agg(row_number) filter (where old_email in ('unsubscribed', 'reported', 'bounced'))
        as "unmailableRows",
      ${changesOf(['email', 'sms'], sql`matched`)} as changes
    from matched
  `.execute(tx);
  const { rowNumbers, updated, changedRows, unchanged, unmailableRows, changes } = rows[0] ?? {};
  return {
    rowNumbers: rowNumbers ?? [],
    updated: updated ?? [],
    changedRows: changedRows ?? [],
    unchanged: unchanged ?? [],
    unmailableRows: unmailableRows ?? [],
    changes: changes ?? [],
  };
}

/**
 * Stores the previous values of changed subscribers, for the undo. A subscriber who just got an
 * address already has an image.
 */
export async function saveImages(
  tx: Tx,
  batch: BatchKey,
  keyColumn: 'email_key' | 'phone_key',
  rowNumbers: readonly number[],
): Promise<void> {
  await sql`
    insert into import_images (account_id, import_id, subscriber_id, at, before, after)
    with matched as materialized (
      select s.account_id, st.import_id, s.id,
        jsonb_build_object('firstname', s.firstname, 'lastname', s.lastname, 'phone', s.phone_key,
          'values', s.field_values, 'email_status', s.email_status,
          'temail_status', s.temail_status, 'sms_status', s.sms_status,
          'tsms_status', s.tsms_status) as before,
        jsonb_build_object('firstname', coalesce(st.firstname, s.firstname),
          'lastname', coalesce(st.lastname, s.lastname),
          'phone', coalesce(st.phone_key, s.phone_key), 'values', st.field_values,
          'email_status', ${statusAfter('email')}, 'temail_status', s.temail_status,
          'sms_status', ${statusWithNumber('sms')}, 'tsms_status', ${statusWithNumber('tsms')}) as after
      from staged_people st join subscribers s on ${areMatched(batch, keyColumn, rowNumbers)}
    )
    select account_id, import_id, id, ${batch.at}::timestamptz, before, after from matched
    on conflict (account_id, import_id, subscriber_id) do nothing
  `.execute(tx);
}

/** Merges rows into the subscribers that `lockMatchedSubscribers` locked. */
export async function updateMatched(
  tx: Tx,
  batch: BatchKey,
  keyColumn: 'email_key' | 'phone_key',
  rowNumbers: readonly number[],
): Promise<void> {
  await sql`
    update subscribers s
    set firstname = coalesce(st.firstname, s.firstname), lastname = coalesce(st.lastname, s.lastname),
      phone = coalesce(st.phone_key, s.phone), phone_key = coalesce(st.phone_key, s.phone_key),
      field_values = s.field_values || st.field_values,
      email_status = ${statusAfter('email')}, sms_status = ${statusWithNumber('sms')},
      temail_status = case when ${statusAfter('email')} = 'bounced'
          and s.temail_status in ('active', 'non-subscribed')
        then 'bounced' else s.temail_status end,
      tsms_status = ${statusWithNumber('tsms')},
      unsubscribed_at = case when ${statusAfter('email')} = 'unsubscribed'
          and s.email_status <> 'unsubscribed'
        then coalesce(st.unsubscribed_at, ${batch.at}) else s.unsubscribed_at end,
      bounced_at = case when ${statusAfter('email')} = 'bounced' and s.email_status <> 'bounced'
        then ${batch.at}::timestamptz else s.bounced_at end,
      modified_at = ${batch.at}
    from staged_people st
    where ${areMatched(batch, keyColumn, rowNumbers)}
  `.execute(tx);
}

/**
 * Returns SQL for the status of a subscriber who gets a new address: unsubscribed and reported
 * stay, any other status is replaced by the staged one.
 */
export function statusWhenAdopted(channel: Channel): RawBuilder<unknown> {
  const now = sql.ref(`s.${channel}_status`);
  return sql`case when ${now} in ('unsubscribed', 'reported') then ${now}
    else ${sql.ref(`st.${channel}_status`)} end`;
}

/**
 * Returns SQL for the SMS status after the import. A new phone number gets the staged status,
 * because consent for the previous number does not apply to it. `isFree` is false if the number
 * stays with another subscriber.
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
 * Returns SQL for the status after the import. An active or non-subscribed subscriber gets a worse
 * status from the file, and a non-subscribed one with an address can become active.
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
