-- When a campaign is sent: at one time, at the recipients' own times, within a window, spread; null: as
-- soon as it starts, within the account's window.
alter table campaigns add column timing jsonb;
alter table sms_campaigns add column timing jsonb;

-- The hours and days in which an account's campaigns are sent, unless a campaign has its own.
create table sending_windows (
  account_id bigint primary key references accounts (id) on delete cascade,
  hours_from smallint not null check (hours_from between 0 and 23),
  hours_to smallint not null check (hours_to between 1 and 24 and hours_to > hours_from),
  days smallint[] not null,
  zone text not null check (zone in ('account', 'person')),
  modified_at timestamptz not null
);
select sendloom_distribute('sending_windows');
