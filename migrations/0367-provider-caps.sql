-- Deferrals by which a mailbox provider asked for a lower rate, each attempt once.
alter table lane_counts add column throttled bigint not null default 0;

-- Limits of a sending domain at a mailbox provider, for marketing email. A row without a limit only
-- gives engaged subscribers lanes of their own.
create table provider_caps (
  account_id bigint not null references accounts (id) on delete cascade,
  domain text not null,
  mailbox smallint not null,
  per_hour integer check (per_hour > 0),
  is_engaged_only boolean not null default false,
  modified_at timestamptz not null,
  primary key (account_id, domain, mailbox)
);
select sendloom_distribute('provider_caps');
