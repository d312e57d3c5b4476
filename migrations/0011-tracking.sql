-- Links, opens, clicks and delivery feedback, with their counters.

create type event_kind as enum (
  'open', 'click', 'unsubscribe', 'hard_bounce', 'soft_bounce', 'complaint', 'delivered');

create type event_verdict as enum ('human', 'machine');

create table links (
  account_id bigint not null,
  message_id bigint not null,
  position integer not null,
  url text not null,
  label text,
  primary key (account_id, message_id, "position")
);
select sendloom_distribute('links');

create table events (
  account_id bigint not null,
  at timestamptz not null,
  message_id bigint not null,
  subscriber_id bigint not null,
  kind event_kind not null,
  -- distinguishes events of one instant
  sequence bigint not null,
  link_position integer,
  verdict event_verdict not null default 'human',
  verdict_reason text,
  ip text,
  user_agent text,
  device text,
  country text,
  details jsonb,
  -- Clicks in SMS. They are not engagement with email: conditions on opens and clicks
  -- read emails only.
  is_sms boolean not null default false,
  primary key (account_id, at, message_id, subscriber_id, kind, sequence)
) partition by range (at);
create table events_default partition of events default;
create index events_by_message on events (account_id, message_id, kind, at);
create index events_by_subscriber on events (account_id, subscriber_id, at);
-- Feedback, without the many opens and clicks.
create index events_setbacks on events (account_id, at, kind)
  where kind in ('hard_bounce', 'soft_bounce', 'complaint', 'unsubscribe');
select sendloom_distribute('events');

-- One row per subscriber and message with engagement or feedback. A click counts as an open that was
-- not seen (images off) in the first_* columns, never in the sums.
create table outcomes (
  account_id bigint not null,
  subscriber_id bigint not null,
  message_id bigint not null,
  first_open_at timestamptz,
  first_human_open_at timestamptz,
  first_click_at timestamptz,
  first_human_click_at timestamptz,
  opens integer not null default 0,
  human_opens integer not null default 0,
  clicks integer not null default 0,
  human_clicks integer not null default 0,
  unsubscribed_at timestamptz,
  hard_bounced_at timestamptz,
  soft_bounced_at timestamptz,
  -- accepted by the relay and returned later (by either kind of bounce)
  returned_at timestamptz,
  complained_at timestamptz,
  primary key (account_id, subscriber_id, message_id)
);
-- The few recipients with a bounce, for lists and counts of reports.
create index outcomes_bounced on outcomes (account_id, message_id, subscriber_id)
  where (hard_bounced_at is not null) or (soft_bounced_at is not null);
create index outcomes_by_message on outcomes (account_id, message_id, subscriber_id);
select sendloom_distribute('outcomes');

create table activity (
  account_id bigint not null,
  subscriber_id bigint not null,
  last_open_at timestamptz,
  last_human_open_at timestamptz,
  last_click_at timestamptz,
  last_human_click_at timestamptz,
  -- 'Opened before a day' reads the first open; 'after' reads the last one.
  first_open_at timestamptz,
  first_human_open_at timestamptz,
  first_click_at timestamptz,
  first_human_click_at timestamptz,
  primary key (account_id, subscriber_id)
);
select sendloom_distribute('activity');

-- First and last click of each subscriber in an SMS, by a human and not by a program:
-- for conditions on clicks in SMS. `activity` covers emails only.
create table sms_clicks (
  account_id bigint not null,
  subscriber_id bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (account_id, subscriber_id)
) with (fillfactor = 80);
select sendloom_distribute('sms_clicks');

-- Exact: updated in the transaction of what they count. Unique counts are of subscribers.
create table engagement_counts (
  account_id bigint not null,
  message_id bigint not null,
  opens bigint not null default 0,
  human_opens bigint not null default 0,
  unique_opens bigint not null default 0,
  unique_human_opens bigint not null default 0,
  clicks bigint not null default 0,
  human_clicks bigint not null default 0,
  unique_clicks bigint not null default 0,
  unique_human_clicks bigint not null default 0,
  unsubscribes bigint not null default 0,
  hard_bounces bigint not null default 0,
  soft_bounces bigint not null default 0,
  returned bigint not null default 0,
  complaints bigint not null default 0,
  primary key (account_id, message_id)
);
select sendloom_distribute('engagement_counts');

-- Opens and clicks of a message by device and country; '' if unknown.
-- Exact: updated in the transaction that records the events.
create table engagement_by (
  account_id bigint not null,
  message_id bigint not null,
  aspect text collate "C" not null check (aspect in ('device', 'country')),
  value text collate "C" not null,
  opens bigint not null default 0,
  human_opens bigint not null default 0,
  clicks bigint not null default 0,
  human_clicks bigint not null default 0,
  primary key (account_id, message_id, aspect, value)
);
select sendloom_distribute('engagement_by');

-- Opens and clicks of a message by quarter of an hour (UTC): hours and days of every time zone consist of
-- whole quarters.
create table engagement_times (
  account_id bigint not null,
  message_id bigint not null,
  quarter timestamptz not null,
  opens bigint not null default 0,
  human_opens bigint not null default 0,
  clicks bigint not null default 0,
  human_clicks bigint not null default 0,
  primary key (account_id, message_id, quarter)
);
select sendloom_distribute('engagement_times');

-- Opens and clicks as received, durable within 100 ms and without a verdict, which needs the
-- clicks around a click. The recorder deletes them in the transaction of all their effects.
create table hits (
  account_id bigint not null,
  at timestamptz not null,
  -- unique over all processes
  sequence bigint not null,
  message_id bigint not null,
  subscriber_id bigint not null,
  kind event_kind not null,
  link_position integer,
  -- how it was requested
  manner text check (manner in ('head', 'prefetch', 'text', 'text head', 'text prefetch')),
  ip text,
  user_agent text,
  primary key (account_id, at, sequence)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
select sendloom_distribute('hits');

-- Provider events, inserted in the transaction of their effect: each has it once.
create table provider_events (
  account_id bigint not null,
  provider text collate "C" not null,
  event_id text collate "C" not null,
  at timestamptz not null,
  primary key (account_id, provider, event_id)
);
-- Old events are deleted: providers repeat one for days, not for months.
create index provider_events_by_age on provider_events (account_id, at);
select sendloom_distribute('provider_events');

-- Local: accounts with waiting hits (a hint, not a queue).
create table tracked_accounts (
  account_id bigint primary key,
  at timestamptz not null
);

-- Hosts of an account's own domains that were verified to lead here, so that links may use them.
create table tracking_hosts (
  account_id bigint not null references accounts (id) on delete cascade,
  domain text collate "C" not null,
  host text collate "C" not null,
  reached_at timestamptz,
  checked_at timestamptz not null,
  -- error of the last check; null once it succeeded
  fault text,
  primary key (account_id, domain)
);
select sendloom_distribute('tracking_hosts');
