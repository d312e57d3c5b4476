-- Bounces, complaints and unsubscribes of a message by the mailbox provider of the subscriber and by
-- day (UTC): their sums equal engagement_counts, where soft bounces are policy and other ones.
create table setback_counts (
  account_id bigint not null,
  message_id bigint not null,
  mailbox smallint not null,
  day date not null,
  hard bigint not null default 0,
  -- refused by a filter, a block list, or because of the sending domain
  policy bigint not null default 0,
  other bigint not null default 0,
  complaints bigint not null default 0,
  unsubscribes bigint not null default 0,
  primary key (account_id, message_id, mailbox, day)
);
create index setback_counts_by_day on setback_counts (account_id, day);
select sendloom_distribute('setback_counts');

insert into setback_counts
  (account_id, message_id, mailbox, day, hard, policy, other, complaints, unsubscribes)
select account_id, message_id, mailbox, day,
  count(*) filter (where kind = 'hard_bounce'),
  count(*) filter (where kind = 'soft_bounce' and is_policy),
  count(*) filter (where kind = 'soft_bounce' and not is_policy),
  count(*) filter (where kind = 'complaint'),
  count(*) filter (where kind = 'unsubscribe')
from (
  select e.account_id, e.message_id, coalesce(s.mailbox, 0) as mailbox,
    (e.at at time zone 'UTC')::date as day, e.kind,
    coalesce(e.details->>'cause' in ('policy', 'domain'), e.details->>'code' ~ '^[45]\.7\.', false)
      as is_policy
  from events e
  left join subscribers s on s.account_id = e.account_id and s.id = e.subscriber_id
  where e.kind in ('hard_bounce', 'soft_bounce', 'complaint', 'unsubscribe')
) setbacks
group by account_id, message_id, mailbox, day;
