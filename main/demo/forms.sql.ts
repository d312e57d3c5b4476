// Inserts the demo's sign-ups by form, and the statistics of the form pages.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import { chance, type DemoHistory } from './history.sql.ts';

const SITE = 'https://harbourtea.example';
const DEVICE = "(array['mobile','mobile','desktop','tablet'])[1 + floor(4 * ";

/** Sets the form's group and makes the form as old as the shop. */
export async function settleForm(tx: Tx, history: DemoHistory, formId: number): Promise<void> {
  const since = new Date(history.now.getTime() - 731 * 86_400_000);
  await sql`update forms set created_at = ${since}, published_at = ${since}
    where account_id = ${history.accountId} and id = ${formId}`.execute(tx);
  await sql`update form_versions set created_at = ${since}
    where account_id = ${history.accountId} and form_id = ${formId}`.execute(tx);
  await sql`insert into form_groups (account_id, form_id, group_id)
    values (${history.accountId}, ${formId}, ${history.groups.newsletter}) on conflict do nothing`.execute(
    tx,
  );
}

/**
 * Inserts a confirmed submission for each subscriber whose source is a form and whose random number
 * is in the range.
 */
export async function insertSignUps(
  tx: Tx,
  history: DemoHistory,
  formId: number,
  [from, to]: readonly [number, number],
): Promise<void> {
  await sql`
    insert into form_submissions (account_id, form_id, key, version, answers, page, device, at,
      settled_at, subscriber_id, confirmed_at)
    select account_id, ${formId}::bigint, 'demo-' || id, 1,
      jsonb_build_object('email', email, 'firstname', firstname),
      ${SITE} || (array['/','/tea','/news'])[1 + floor(3 * ${chance('id', 93)})::int],
      ${sql.raw(DEVICE)}${chance('id', 92)})::int], created_at, created_at + interval '1 second', id,
      created_at + interval '4 minutes'
    from subscribers
    where account_id = ${history.accountId} and source = 'form'
      and ${chance('id', 91)} >= ${from}::float8 and ${chance('id', 91)} < ${to}::float8`.execute(
    tx,
  );
}

/** Inserts the form's daily views and starts per device, and how often visitors closed a popup. */
export async function insertViews(
  tx: Tx,
  history: DemoHistory,
  formId: number,
  isClosable: boolean,
): Promise<void> {
  const seededChance = (salt: number) =>
    chance('(extract(epoch from day)::bigint + device_place) ', salt + (formId % 7));
  await sql`
    insert into form_stats (account_id, form_id, quarter, device, views, starts, closes)
    select ${history.accountId}::bigint, ${formId}::bigint, day, device, views,
      least(views, signed + floor(views * 0.04)::int), case when ${isClosable}::boolean then floor(views * 0.6)::int else 0 end
    from (
      select day, device, signed, greatest(signed * 9, 1)
        + floor(${history.subscriberCount}::int / 500.0 * (0.5 + ${seededChance(94)}))::int as views
      from (
        select day, device, device_place, coalesce(signed, 0) as signed
        from generate_series(date_trunc('day', ${history.now}::timestamptz - interval '730 days'),
          date_trunc('day', ${history.now}::timestamptz), interval '1 day') day
        cross join (values ('mobile', 1), ('desktop', 2), ('tablet', 3)) d (device, device_place)
        left join (select date_trunc('day', at) as day, device, count(*)::int as signed
          from form_submissions where account_id = ${history.accountId} and form_id = ${formId}
          group by 1, 2) signed_up using (day, device)) days) counted`.execute(tx);
  await sql`
    insert into form_pages (account_id, form_id, day, page, views, starts, closes)
    select account_id, form_id, (quarter at time zone 'UTC')::date, ${SITE} || path, sum(views * share)::bigint,
      sum(starts * share)::bigint, sum(closes * share)::bigint
    from form_stats cross join (values ('/', 0.6), ('/tea', 0.3), ('/news', 0.1)) p (path, share)
    where account_id = ${history.accountId} and form_id = ${formId}
    group by account_id, form_id, 3, path`.execute(tx);
}
