-- What comes back from mails: providers' webhooks, pauses that people ask for, places of people's own
-- choosing, tracking hosts, and the ledger of old messages made small.

-- The webhook address of one provider in one account; its secret part is derived, never stored.
create table webhooks (
  account_id bigint not null references accounts (id) on delete cascade,
  provider text collate "C" not null,
  -- grows when the address is changed: the older one is dead
  generation integer not null default 1,
  -- what the provider signs with: a public key, a shared secret, a topic
  sealed_key bytea,
  -- SNS asks first whether it may send
  confirmed_at timestamptz,
  last_event_at timestamptz,
  modified_at timestamptz not null,
  primary key (account_id, provider)
);
select sendloom_distribute('webhooks');

-- Old events are forgotten: a provider repeats one for some days, not for months.
create index provider_events_by_age on provider_events (account_id, at);

-- Nothing but receipts until then: the person asked for it on the preference page.
alter table subscribers add column paused_until timestamptz;

-- People may join and leave these by themselves, on the preference page.
alter table groups add column is_public boolean not null default false;

-- What an account measures; frozen into each message.
alter table accounts add column tracks_opens boolean not null default true;
alter table accounts add column tracks_clicks boolean not null default true;

-- Hosts of an account's own domains that were seen to lead here, so that links may be written with them.
create table tracking_hosts (
  account_id bigint not null references accounts (id) on delete cascade,
  domain text collate "C" not null,
  host text collate "C" not null,
  reached_at timestamptz,
  checked_at timestamptz not null,
  primary key (account_id, domain)
);
select sendloom_distribute('tracking_hosts');

-- Single sends of one person, for their history.
create index single_sends_by_subscriber on single_sends (account_id, subscriber_id, created_at)
  where subscriber_id is not null;

-- A message whose ledger was compacted: of each slice of a lane the first and the last hand-over. Its
-- recipients without a result were accepted; the results that are left are the other ends.
alter table messages add column compacted_at timestamptz;
create index messages_finished on messages (account_id, finished_at)
  where finished_at is not null and compacted_at is null;
create table past_slices (
  account_id bigint not null,
  message_id bigint not null,
  lane smallint not null,
  from_ordinal integer not null,
  to_ordinal integer not null,
  accepted integer not null,
  first_at timestamptz,
  last_at timestamptz,
  relay text,
  primary key (account_id, message_id, lane, from_ordinal)
);
select sendloom_distribute('past_slices');
