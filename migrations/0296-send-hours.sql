-- The best hour of the day for an email to a subscriber, on the clock of the subscriber's zone, by the
-- human opens and clicks of the past. Row of subscriber 0: that of the account.
create table send_hours (
  account_id bigint not null references accounts (id) on delete cascade,
  subscriber_id bigint not null,
  hour smallint not null check (hour between 0 and 23),
  actions integer not null,
  modified_at timestamptz not null,
  primary key (account_id, subscriber_id)
);
select sendloom_distribute('send_hours');
