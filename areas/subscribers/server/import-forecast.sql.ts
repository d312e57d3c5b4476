// Queries for an import's preview: staged rows compared with existing subscribers, without writing.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import type { BatchKey } from './import-people.sql.ts';
import { statusAfter, statusWhenAdopted, statusWithNumber } from './import-people.sql.ts';

export interface StagedRowForecast {
  created: number;
  updated: number;
  unchanged: number;
  unmailableRows: number[] | null;
  samples: ForecastSample[] | null;
}

export interface ForecastSample {
  email: string | null;
  phone: string | null;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/**
 * Counts the subscribers that an import would create, update and leave unchanged, and returns
 * samples of changes. A staged row matches the subscriber with its email address. If there is none,
 * it matches the subscriber with its phone number, provided that the row or the subscriber has no
 * email address. An import would add the row's email address to a subscriber without one.
 */
// oxlint-disable-next-line eslint/max-lines-per-function -- One statement.
export async function compareStaged(
  tx: Tx,
  batch: BatchKey,
  samples: number,
): Promise<StagedRowForecast> {
  const { rows } = await sql<StagedRowForecast>`
    with met as materialized (
      select st.row_number, st.email, st.email_key as new_email_key, s.id, s.email_key, s.phone_key,
        s.firstname, s.lastname, s.field_values, s.email_status as old_email, s.sms_status as old_sms,
        coalesce(st.firstname, s.firstname) as new_firstname,
        coalesce(st.lastname, s.lastname) as new_lastname, st.field_values as new_values,
        case when st.email_key is null or p.phone_key is null then coalesce(st.phone_key, s.phone_key)
          else s.phone_key end as new_phone,
        case when s.email_key is null and st.email_key is not null then ${statusWhenAdopted('email')}
          else ${statusAfter('email')} end as new_email,
        ${statusWithNumber('sms', sql`p.phone_key is null`)} as new_sms,
        s.email_key is null and st.email_key is not null as is_adopted
      from staged_people st
      join subscribers s on s.account_id = ${batch.accountId} and s.deleted_at is null
        and s.email_key = st.email_key
      left join subscribers p on p.account_id = ${batch.accountId} and p.deleted_at is null
        and p.phone_key = st.phone_key and p.id <> s.id
      where st.account_id = ${batch.accountId} and st.import_id = ${batch.importId}
      union all
      select st.row_number, st.email, st.email_key, s.id, s.email_key, s.phone_key, s.firstname,
        s.lastname, s.field_values, s.email_status, s.sms_status, coalesce(st.firstname, s.firstname),
        coalesce(st.lastname, s.lastname), st.field_values, s.phone_key,
        case when st.email_key is not null then ${statusWhenAdopted('email')} else s.email_status end,
        ${statusAfter('sms')}, st.email_key is not null
      from staged_people st
      join subscribers s on s.account_id = ${batch.accountId} and s.deleted_at is null
        and s.phone_key = st.phone_key
      where st.account_id = ${batch.accountId} and st.import_id = ${batch.importId}
        and (st.email_key is null or s.email_key is null)
        and not exists (
          select 1 from subscribers o
          where o.account_id = ${batch.accountId} and o.deleted_at is null and o.email_key = st.email_key
        )
    ), evaluated as (
      select *, is_adopted or new_firstname is distinct from firstname
        or new_lastname is distinct from lastname or new_phone is distinct from phone_key
        or not field_values @> new_values or new_email <> old_email or new_sms <> old_sms as is_changed
      from met
    ), shown as (
      select * from evaluated where is_changed order by row_number limit ${samples}
    )
    select
      (select count(*) from staged_people where account_id = ${batch.accountId}
        and import_id = ${batch.importId}) - (select count(distinct row_number) from met) as created,
      count(distinct id) filter (where is_changed) as updated,
      count(distinct id) filter (where not is_changed) as unchanged,
      array_agg(row_number) filter (where old_email in ('unsubscribed', 'reported', 'bounced'))
        as "unmailableRows",
      (select json_agg(json_build_object(
        'email', coalesce(email, email_key), 'phone', phone_key,
        'before', jsonb_build_object('email', email_key, 'firstname', firstname, 'lastname', lastname,
          'phone', phone_key, 'email_status', old_email, 'sms_status', old_sms, 'values', field_values),
        'after', jsonb_build_object('email', coalesce(email_key, new_email_key),
          'firstname', new_firstname, 'lastname', new_lastname, 'phone', new_phone,
          'email_status', new_email, 'sms_status', new_sms, 'values', new_values)
        ) order by row_number) from shown) as samples
    from evaluated`.execute(tx);
  return rows[0] as StagedRowForecast;
}
