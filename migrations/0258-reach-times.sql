-- Subscribers who became reachable and who were lost, by quarter of an hour; counted from
-- status_changes, and kept when deleted subscribers are purged.
create table reach_times (
  account_id bigint not null,
  quarter timestamptz not null,
  added bigint not null default 0,
  unsubscribed bigint not null default 0,
  bounced bigint not null default 0,
  complained bigint not null default 0,
  removed bigint not null default 0,
  primary key (account_id, quarter)
);
select sendloom_distribute('reach_times');

create index status_changes_by_time on status_changes (account_id, at)
  where channel in ('email', 'sms');
