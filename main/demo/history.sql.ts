// Writes two years of a shop's history: subscribers, emails and their events. Random numbers are
// derived from hashes of ids, so that all statistics agree: unsubscribed subscribers receive
// nothing later, clicks imply opens, and sums match their rows.
//
// The demo writes the tables of several areas directly, because no API call can create events in
// the past.
import { sql } from 'kysely';
import type { Language } from '#platform/languages.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { SampleTexts } from './texts.ts';

export type DemoHistory = {
  accountId: number;
  userId: number;
  now: Date;
  subscriberCount: number;
  /** The account's language, and the demo texts in that language. */
  language: Language;
  locale: string;
  texts: SampleTexts;
  firstNames: string[];
  lastNames: string[];
  hosts: string[];
  teas: string[];
  fields: { tea: number; cups: number; birthday: number };
  /** The fields by the names that merge tags use. */
  mergeFields: { id: number; name: string }[];
  groups: { newsletter: number; loyal: number; visitors: number; tasting: number };
};

/** A deterministic number from 0 to 1, derived from the row and the salt. */
export const chance = (id: string, salt: number) =>
  sql.raw(`((hashint8extended(${id}, ${salt}) & 1073741823) / 1073741824.0)`);

/**
 * Area codes in use, so that numbers are valid. Two hundred codes with a hundred numbers each are
 * enough for 20,000 subscribers.
 */
const AREA_CODES = (
  '201 202 203 205 206 207 208 209 210 212 213 214 215 216 217 218 219 220 223 224 225 228 229 231 234 239 240 248 251 252 ' +
  '253 254 256 260 262 267 269 270 272 276 279 281 283 301 302 303 304 305 307 308 309 310 312 313 314 315 316 317 318 319 ' +
  '320 321 323 325 326 327 330 331 332 334 336 337 339 341 346 347 351 352 360 361 364 380 385 386 401 402 404 405 406 407 ' +
  '408 409 410 412 413 414 415 417 419 423 424 425 430 432 434 435 440 442 443 445 447 458 463 464 469 470 475 478 479 480 ' +
  '484 501 502 503 504 505 507 508 509 510 512 513 515 516 517 518 520 530 531 534 539 540 541 551 559 561 562 563 564 567 ' +
  '570 571 573 574 575 580 582 585 586 601 602 603 605 606 607 608 609 610 612 614 615 616 617 618 619 620 623 626 628 629 ' +
  '630 631 636 640 641 646 650 651 656 657 659 660 661 662 667 669 678 680 681 682'
)
  .split(' ')
  .slice(0, 200)
  .map(Number);

export async function insertPeople(tx: Tx, history: DemoHistory): Promise<void> {
  await sql`
    insert into subscribers (account_id, email, email_key, phone, phone_key, firstname, lastname, field_values,
      sms_status, country, source, created_at, modified_at)
    select ${history.accountId}, address, address, phone, phone, first_name, last_name,
      jsonb_strip_nulls(jsonb_build_object(
        ${String(history.fields.tea)}::text, tea, ${String(history.fields.cups)}::text, cups,
        ${String(history.fields.birthday)}::text, birthday)),
      case when phone is null then 'non-subscribed' else 'active' end::subscription_status,
      (array['IE','GB','NO','SE','LT','LV','DE','FR'])[1 + floor(where_from * where_from * 8)::int],
      (array['import','form','manual'])[1 + floor(way * way * 3)::int], joined, joined
    from (
      select n, first_name, last_name, where_from, way,
        regexp_replace(lower(translate(first_name || '.' || last_name, 'ĪīŪūĻļŅņŠšŽžĒēĀāÅåÓóíÍ''’', 'IiUuLlNnSsZzEeAaAaOoiI')), '[^a-z.]', '', 'g')
          || n || '@' || host as address,
        -- numbers that the North American plan reserves for fiction: 555-0100 to 555-0199 of each area
        case when has_phone < 0.3 then '+1' || (${AREA_CODES}::int[])[1 + (n / 100) % ${AREA_CODES.length}::int]
          || '55501' || lpad((n % 100)::text, 2, '0') end as phone,
        case when knows_tea < 0.7 then tea end as tea,
        case when knows_tea < 0.5 then 1 + floor(cups * 20) end as cups,
        case when knows_tea < 0.25 then to_char(date '1950-01-01' + floor(born * 20000)::int, 'YYYY-MM-DD') || ' 00:00:00' end as birthday,
        -- sign-ups become more frequent as the shop becomes known
        ${history.now}::timestamptz - make_interval(secs => 730 * 86400 * (1 - sqrt(n / ${history.subscriberCount}::float8)) + 86400 * 0.9 * way) as joined
      from (
        select n::bigint as n,
          (${history.firstNames}::text[])[1 + floor(${chance('n', 1)} * ${history.firstNames.length}::int)::int] as first_name,
          (${history.lastNames}::text[])[1 + floor(${chance('n', 2)} * ${history.lastNames.length}::int)::int] as last_name,
          (${history.hosts}::text[])[1 + floor(${chance('n', 3)} * ${history.hosts.length}::int)::int] as host,
          (${history.teas}::text[])[1 + floor(${chance('n', 4)} * ${history.teas.length}::int)::int] as tea,
          ${chance('n', 5)} as has_phone, ${chance('n', 6)} as knows_tea, ${chance('n', 7)} as cups,
          ${chance('n', 8)} as born, ${chance('n', 9)} as where_from, ${chance('n', 10)} as way
        from generate_series(1::bigint, ${history.subscriberCount}::bigint) as n) as drawn) as named`.execute(
    tx,
  );
}

export async function insertMemberships(tx: Tx, history: DemoHistory): Promise<void> {
  const { newsletter, loyal, visitors, tasting } = history.groups;
  await sql`
    insert into group_members (account_id, group_id, subscriber_id, created_at)
    select s.account_id, g.id, s.id, s.created_at
    from subscribers s
    join (values (${newsletter}::bigint, 0.0, 0.93), (${loyal}::bigint, 0.7, 1.0),
      (${visitors}::bigint, 0.2, 0.55), (${tasting}::bigint, 0.88, 0.97)) as g (id, least_share, most_share)
      on ${chance('s.id', 20)} >= g.least_share and ${chance('s.id', 20)} < g.most_share
    where s.account_id = ${history.accountId}`.execute(tx);
}

export type PastCampaign = {
  campaignId: number;
  messageId: number;
  sentAt: Date;
  /** Factor of the campaign's opens and clicks; 1 is average. */
  appeal: number;
  links: number;
};

/**
 * Draws each subscriber's engagement, the campaign after which they leave, if any, and the
 * recipients of each campaign. All later statements are based on these temporary tables.
 */
export async function drawPast(
  tx: Tx,
  history: DemoHistory,
  campaigns: readonly PastCampaign[],
): Promise<void> {
  await sql`create temp table demo_campaigns on commit drop as
    select * from unnest(${campaigns.map((campaign) => campaign.campaignId)}::bigint[],
      ${campaigns.map((campaign) => campaign.messageId)}::bigint[],
      ${campaigns.map((campaign) => campaign.sentAt.toISOString())}::timestamptz[],
      ${campaigns.map((campaign) => campaign.appeal)}::float8[], ${campaigns.map((campaign) => campaign.links)}::int[])
      with ordinality as t (campaign_id, message_id, sent_at, appeal, links, place)`.execute(tx);
  await sql`create temp table demo_people on commit drop as
    select id, created_at, keen, fate, first_place,
      case when fate is null then 1000000
        when fate = 'hard_bounce' then first_place
        else first_place + floor(${chance('id', 33)} * (${campaigns.length}::int + 1 - first_place))::int end as last_place
    from (
      select s.id, s.created_at, power(${chance('s.id', 30)}, 1.6) as keen,
        case when ${chance('s.id', 31)} < 0.012 then 'hard_bounce' when ${chance('s.id', 31)} < 0.072 then 'unsubscribe'
          when ${chance('s.id', 31)} < 0.0735 then 'complaint' end as fate,
        (select min(c.place) from demo_campaigns c where c.sent_at > s.created_at) as first_place
      from subscribers s where s.account_id = ${history.accountId}) as drawn
    where first_place is not null`.execute(tx);
  await sql`create temp table demo_sent on commit drop as
    select c.campaign_id, c.message_id, c.sent_at, c.appeal, c.links, c.place, p.id as subscriber_id, p.keen,
      case when c.place = p.last_place then p.fate end as fate,
      row_number() over (partition by c.message_id order by p.id)::int as ordinal,
      ${chance('p.id * 1000 + c.place', 40)} as a, ${chance('p.id * 1000 + c.place', 41)} as b,
      ${chance('p.id * 1000 + c.place', 42)} as d, ${chance('p.id * 1000 + c.place', 43)} as e
    from demo_campaigns c join demo_people p on c.place >= p.first_place and c.place <= p.last_place`.execute(
    tx,
  );
  await sql`analyze demo_sent`.execute(tx);
}

export async function insertLedger(tx: Tx, history: DemoHistory): Promise<void> {
  const account = history.accountId;
  await sql`insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
    select ${account}, message_id, 0, ordinal, subscriber_id from demo_sent where place >= 0`.execute(
    tx,
  );
  await sql`insert into results (account_id, message_id, lane, ordinal, attempt, state, at, code, reply)
    select ${account}, message_id, 0, ordinal, 1, 'accepted', sent_at + make_interval(secs => ordinal * 0.004), '2.0.0',
      '250 2.0.0 Ok' from demo_sent where place >= 0`.execute(tx);
  await sql`insert into lanes (account_id, message_id, lane, written, leased)
    select ${account}, message_id, 0, count(*), count(*) from demo_sent where place >= 0 group by message_id`.execute(
    tx,
  );
  await sql`insert into leases (account_id, message_id, lane, from_ordinal, to_ordinal, started_to, owner, expires_at, is_done)
    select ${account}, message_id, 0, 1, count(*), count(*), '', max(sent_at), true from demo_sent where place >= 0 group by message_id`.execute(
    tx,
  );
  await sql`insert into delivery_counts (account_id, message_id, audience, accepted)
    select ${account}, message_id, count(*), count(*) from demo_sent group by message_id`.execute(
    tx,
  );
  await sql`insert into lane_counts (account_id, message_id, lane, day, accepted)
    select ${account}, d.message_id, s.mailbox,
      ((d.sent_at + make_interval(secs => d.ordinal * 0.004)) at time zone 'UTC')::date, count(*)
    from demo_sent d join subscribers s on s.account_id = ${account} and s.id = d.subscriber_id
    group by 2, 3, 4`.execute(tx);
}

const EVENT_COLUMNS = sql`message_id bigint, subscriber_id bigint, at timestamptz, kind event_kind,
  link_position int, verdict event_verdict, reason text, sequence int, device text, country text`;

/**
 * Draws opens (by people and proxies), clicks, unsubscribes, complaints and bounces. Called twice:
 * for campaigns, where clicks lead to orders, then for the automated emails that those orders
 * trigger.
 */
export async function drawEvents(
  tx: Tx,
  history: DemoHistory,
  source: 'campaigns' | 'automation',
): Promise<void> {
  const isCampaigns = source === 'campaigns';
  const sourceFilter = isCampaigns ? sql`place > 0` : sql`place <= 0`;
  if (isCampaigns)
    await sql`create temp table demo_events (${EVENT_COLUMNS}) on commit drop`.execute(tx);
  await sql`insert into demo_events (message_id, subscriber_id, at, kind, link_position, verdict, reason, sequence, device)
    with drawn as (select * from demo_sent where ${sourceFilter}), opened as (
      select s.*, sent_at + make_interval(secs => least(1200000, 90 - ln(greatest(b, 0.00001)) * 21600)) as opened_at
      from drawn s where fate is distinct from 'hard_bounce' and (a < (0.12 + 0.6 * keen) * appeal or fate is not null)
    ), clicked as (
      select o.*, opened_at + make_interval(secs => 8 + d * 240) as clicked_at,
        floor(e * e * links)::int as position
      from opened o where d < (0.06 + 0.3 * keen) * appeal and links > 0
    )
    select message_id, subscriber_id, opened_at as at, 'open'::event_kind as kind, null::int as link_position,
      'human'::event_verdict as verdict, null::text as reason, 1 as sequence,
      (array['desktop','mobile','mobile','tablet'])[1 + floor(d * 4)::int] as device from opened
    union all select message_id, subscriber_id, opened_at + make_interval(secs => 3600 * (2 + 40 * e)), 'open', null, 'human', null, 2,
      (array['desktop','mobile'])[1 + floor(d * 2)::int] from opened where e < 0.25
    union all select message_id, subscriber_id, sent_at + make_interval(secs => 5 + 900 * d), 'open', null, 'machine', 'apple_privacy', 3, null
      from drawn where e > 0.78 and fate is distinct from 'hard_bounce'
    union all select message_id, subscriber_id, clicked_at, 'click', position, 'human', null, 4,
      (array['desktop','mobile','mobile','tablet'])[1 + floor(d * 4)::int] from clicked
    union all select message_id, subscriber_id, clicked_at + make_interval(secs => 40), 'click', (position + 1) % links, 'human', null, 5, null
      from clicked where e < 0.2
    union all select message_id, subscriber_id, opened_at + make_interval(secs => 30), 'unsubscribe', null, 'human', null, 6, null
      from opened where fate = 'unsubscribe'
    union all select message_id, subscriber_id, opened_at + make_interval(secs => 60), 'complaint', null, 'human', null, 7, null
      from opened where fate = 'complaint'
    union all select message_id, subscriber_id, sent_at + interval '40 seconds', 'hard_bounce', null, 'human', null, 8, null
      from drawn where fate = 'hard_bounce'
    union all select message_id, subscriber_id, sent_at + interval '90 seconds', 'soft_bounce', null, 'human', null, 9, null
      from drawn where fate is null and a > 0.996`.execute(tx);
  await sql`delete from demo_events where at > ${history.now}`.execute(tx);
  await sql`analyze demo_events`.execute(tx);
}

/** Inserts the drawn events with the devices and countries of their readers. */
export async function insertEvents(tx: Tx, history: DemoHistory): Promise<void> {
  const account = history.accountId;
  // One reader in twelve is abroad. Opens by proxies get no device and no country.
  await sql`update demo_events e set
      device = (array['desktop','mobile','mobile','tablet'])[1 + floor(${chance('e.subscriber_id', 32)} * 3.3)::int],
      country =
      case when ${chance('e.subscriber_id', 31)} < 0.08 then 'ES' else s.country end
    from subscribers s where s.account_id = ${account} and s.id = e.subscriber_id
      and e.kind in ('open', 'click') and e.verdict = 'human'`.execute(tx);
  await sql`insert into events (account_id, at, message_id, subscriber_id, kind, sequence, link_position, verdict, verdict_reason, device, country, details)
    select ${account}, at, message_id, subscriber_id, kind, sequence, link_position, verdict, reason, device, country,
      case kind when 'hard_bounce' then '{"code": "5.1.1", "reply": "No such user here"}'::jsonb
        when 'soft_bounce' then '{"code": "5.2.2", "reply": "The mailbox is full"}'::jsonb end
    from demo_events`.execute(tx);
}

export async function insertSums(tx: Tx, history: DemoHistory): Promise<void> {
  const account = history.accountId;
  await sql`insert into outcomes (account_id, subscriber_id, message_id, first_open_at, first_human_open_at, first_click_at,
      first_human_click_at, opens, human_opens, clicks, human_clicks, unsubscribed_at, hard_bounced_at, soft_bounced_at,
      returned_at, complained_at)
    select ${account}, subscriber_id, message_id,
      min(at) filter (where kind in ('open', 'click')), min(at) filter (where kind in ('open', 'click') and verdict = 'human'),
      min(at) filter (where kind = 'click'), min(at) filter (where kind = 'click' and verdict = 'human'),
      count(*) filter (where kind = 'open'), count(*) filter (where kind = 'open' and verdict = 'human'),
      count(*) filter (where kind = 'click'), count(*) filter (where kind = 'click' and verdict = 'human'),
      min(at) filter (where kind = 'unsubscribe'), min(at) filter (where kind = 'hard_bounce'),
      min(at) filter (where kind = 'soft_bounce'), min(at) filter (where kind in ('hard_bounce', 'soft_bounce')),
      min(at) filter (where kind = 'complaint')
    from demo_events group by subscriber_id, message_id`.execute(tx);
  await sql`insert into activity (account_id, subscriber_id, first_open_at, first_human_open_at, first_click_at,
      first_human_click_at, last_open_at, last_human_open_at, last_click_at, last_human_click_at)
    select ${account}, s.subscriber_id, min(e.first_open), min(e.first_human_open), min(e.first_click),
      min(e.first_click), max(e.last_open), max(e.last_human_open), max(e.last_click), max(e.last_click)
    from (select subscriber_id, max(sent_at) as sent_at from demo_sent group by subscriber_id) s
    left join (select subscriber_id, min(at) filter (where kind in ('open', 'click')) as first_open,
        min(at) filter (where kind in ('open', 'click') and verdict = 'human') as first_human_open,
        min(at) filter (where kind = 'click') as first_click,
        max(at) filter (where kind in ('open', 'click')) as last_open,
        max(at) filter (where kind in ('open', 'click') and verdict = 'human') as last_human_open,
        max(at) filter (where kind = 'click') as last_click
      from demo_events group by subscriber_id) e on e.subscriber_id = s.subscriber_id
    group by s.subscriber_id`.execute(tx);
  await sql`insert into engagement_counts (account_id, message_id, opens, human_opens, unique_opens, unique_human_opens, clicks,
      human_clicks, unique_clicks, unique_human_clicks, unsubscribes, hard_bounces, soft_bounces, returned, complaints)
    select ${account}, message_id, sum(opens), sum(human_opens), count(first_open_at), count(first_human_open_at), sum(clicks),
      sum(human_clicks), count(first_click_at), count(first_human_click_at), count(unsubscribed_at), count(hard_bounced_at),
      count(soft_bounced_at), count(returned_at), count(complained_at)
    from outcomes where account_id = ${account} group by message_id`.execute(tx);
  await sql`insert into setback_counts (account_id, message_id, mailbox, day, hard, policy, other, complaints, unsubscribes)
    select ${account}, e.message_id, s.mailbox, (e.at at time zone 'UTC')::date,
      count(*) filter (where e.kind = 'hard_bounce'), 0, count(*) filter (where e.kind = 'soft_bounce'),
      count(*) filter (where e.kind = 'complaint'), count(*) filter (where e.kind = 'unsubscribe')
    from demo_events e join subscribers s on s.account_id = ${account} and s.id = e.subscriber_id
    where e.kind not in ('open', 'click') group by 2, 3, 4`.execute(tx);
  await sql`insert into engagement_times (account_id, message_id, quarter, opens, human_opens, clicks, human_clicks)
    select ${account}, message_id, date_bin('15 minutes', at, timestamptz '2000-01-01'),
      count(*) filter (where kind = 'open'), count(*) filter (where kind = 'open' and verdict = 'human'),
      count(*) filter (where kind = 'click'), count(*) filter (where kind = 'click' and verdict = 'human')
    from demo_events where kind in ('open', 'click') group by 2, 3`.execute(tx);
  await sql`insert into engagement_by (account_id, message_id, aspect, value, opens, human_opens, clicks, human_clicks)
    select ${account}, message_id, aspect, value,
      count(*) filter (where kind = 'open'), count(*) filter (where kind = 'open' and verdict = 'human'),
      count(*) filter (where kind = 'click'), count(*) filter (where kind = 'click' and verdict = 'human')
    from demo_events cross join lateral (values ('device', coalesce(device, '')), ('country', coalesce(country, ''))) v (aspect, value)
    where kind in ('open', 'click') group by 2, 3, 4`.execute(tx);
}

export type LostSubscriber = { id: number; email_key: string; kind: string; at: Date };

/**
 * Sets the statuses of subscribers who bounced, complained or unsubscribed; returns them for the
 * suppression list.
 */
export async function applyLosses(tx: Tx, history: DemoHistory): Promise<LostSubscriber[]> {
  const account = history.accountId;
  await sql`create temp table demo_left on commit drop as
    select distinct on (subscriber_id) subscriber_id, kind::text as kind, at, message_id,
      case kind when 'hard_bounce' then 'bounced' when 'complaint' then 'reported' else 'unsubscribed' end::subscription_status as status
    from demo_events where kind in ('hard_bounce', 'complaint', 'unsubscribe') order by subscriber_id, at`.execute(
    tx,
  );
  await sql`update subscribers s set email_status = l.status, modified_at = l.at,
      unsubscribed_at = case when l.status in ('unsubscribed', 'reported') then l.at end,
      bounced_at = case when l.status = 'bounced' then l.at end
    from demo_left l where s.account_id = ${account} and s.id = l.subscriber_id`.execute(tx);
  await sql`insert into status_changes (account_id, subscriber_id, at, channel, from_status, to_status, reason, message_id)
    select ${account}, subscriber_id, at, 'email', 'active', status,
      case kind when 'hard_bounce' then 'bounce' when 'complaint' then 'complaint' else 'link' end, message_id
    from demo_left`.execute(tx);
  const { rows } = await sql<LostSubscriber>`select s.id, s.email_key, l.kind, l.at from demo_left l
    join subscribers s on s.account_id = ${account} and s.id = l.subscriber_id
      and s.email_key is not null`.execute(tx);
  return rows;
}

export async function insertSuppressions(
  tx: Tx,
  history: DemoHistory,
  channel: 'email' | 'sms',
  leavers: readonly { id: number; hash: Buffer; kind: string; at: Date }[],
): Promise<void> {
  const reasons: Record<string, string> = {
    hard_bounce: 'bounced',
    complaint: 'reported',
    unsubscribe: 'unsubscribed',
  };
  await sql`insert into suppressions (account_id, channel, address_hash, reason, created_at, subscriber_id)
    select ${history.accountId}, ${channel}::text, hash, reason, at, id
    from unnest(${leavers.map((leaver) => leaver.hash)}::bytea[], ${leavers.map((leaver) => reasons[leaver.kind])}::text[],
      ${leavers.map((leaver) => leaver.at)}::timestamptz[], ${leavers.map((leaver) => leaver.id)}::bigint[]) as t (hash, reason, at, id)
    on conflict do nothing`.execute(tx);
}

export async function insertConsents(tx: Tx, history: DemoHistory): Promise<void> {
  await sql`insert into consents (account_id, subscriber_id, at, channel, kind, source, wording)
    select account_id, id, created_at, 'email', case source when 'form' then 'confirmed' else 'attested' end,
      case source when 'form' then 'form' else 'import' end, 'Yes, send me letters from Harbour Tea House'
    from subscribers where account_id = ${history.accountId}`.execute(tx);
  await sql`insert into consents (account_id, subscriber_id, at, channel, kind, source, wording)
    select account_id, id, created_at, 'sms', 'given', case source when 'form' then 'form' else 'import' end,
      'Yes, text me offers from Harbour Tea House'
    from subscribers where account_id = ${history.accountId} and phone is not null`.execute(tx);
}

export async function updateSubscriberCounts(tx: Tx, accountId: number): Promise<void> {
  await sql`update accounts set subscriber_count =
    (select count(*) from subscribers where account_id = ${accountId} and deleted_at is null)
    where id = ${accountId}`.execute(tx);
  await countTimes(tx, accountId);
}

/** Sets the dashboard's totals by time, which are otherwise counted continuously. */
async function countTimes(tx: Tx, accountId: number): Promise<void> {
  const quarter = (column: string) =>
    sql`date_bin('15 minutes', ${sql.ref(column)}, '2000-01-01Z')`;
  // Once these rows are deleted, the dashboard counts the written history again.
  await sql`delete from reach_times where account_id = ${accountId}`.execute(tx);
  await sql`delete from sent_times where account_id = ${accountId}`.execute(tx);
  await sql`insert into sent_times (account_id, quarter, shard, sent)
    select ${accountId}, ${quarter('at')}, (message_id % 16)::smallint, count(*)
    from (
      select message_id, at from results
      where account_id = ${accountId} and state in ('accepted', 'failed', 'unknown')
      union all
      select message_id, finished_at from single_sends
      where account_id = ${accountId} and state = 'accepted') sent
    group by 2, 3`.execute(tx);
}
