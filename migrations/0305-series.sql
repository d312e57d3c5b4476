-- Recurring campaigns: the rule of a model campaign, and the campaigns made from it.
create table campaign_series (
  account_id bigint not null,
  -- the model: a draft that is copied for each occurrence
  campaign_id bigint not null,
  rule jsonb not null,
  zone text not null,
  -- weeks and months of the rule count from this day; no occurrence is earlier
  starts_on date not null,
  -- no occurrence is later
  ends_on date,
  -- only subscribers without an accepted email of an earlier occurrence
  is_only_new boolean not null default false,
  -- days (YYYY-MM-DD) of skipped occurrences without a campaign
  skipped_on text[] not null default '{}',
  -- the next occurrence without a campaign; null after the last one
  next_at timestamptz,
  created_at timestamptz not null,
  modified_at timestamptz not null,
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id) on delete cascade
);
create index campaign_series_due on campaign_series (account_id, next_at) where next_at is not null;
select sendloom_distribute('campaign_series');

create table sms_series (
  account_id bigint not null,
  campaign_id bigint not null,
  rule jsonb not null,
  zone text not null,
  starts_on date not null,
  ends_on date,
  is_only_new boolean not null default false,
  skipped_on text[] not null default '{}',
  next_at timestamptz,
  created_at timestamptz not null,
  modified_at timestamptz not null,
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references sms_campaigns (account_id, id) on delete cascade
);
create index sms_series_due on sms_series (account_id, next_at) where next_at is not null;
select sendloom_distribute('sms_series');

-- The model and the day of an occurrence; it stays the same when the campaign is moved.
alter table campaigns add column series_of bigint, add column occurs_on date;
alter table sms_campaigns add column series_of bigint, add column occurs_on date;
create unique index campaigns_of_series on campaigns (account_id, series_of, occurs_on)
  where series_of is not null;
create unique index sms_campaigns_of_series on sms_campaigns (account_id, series_of, occurs_on)
  where series_of is not null;
