-- Results of a message by lane and day (UTC): their sums equal delivery_counts.
create table lane_counts (
  account_id bigint not null,
  message_id bigint not null,
  lane smallint not null,
  day date not null,
  accepted bigint not null default 0,
  -- the change of the waiting recipients: negative on the day on which they were answered
  deferred bigint not null default 0,
  failed bigint not null default 0,
  primary key (account_id, message_id, lane, day)
) with (fillfactor = 70);
create index lane_counts_by_day on lane_counts (account_id, day);
select sendloom_distribute('lane_counts');

-- From the newest result of each recipient. A recipient with a deferral waits, whatever its newest
-- result.
insert into lane_counts (account_id, message_id, lane, day, accepted, deferred, failed)
select account_id, message_id, lane, day, sum(accepted), sum(deferred), sum(failed)
from (
  select n.account_id, n.message_id, n.lane, (n.at at time zone 'UTC')::date as day,
    (d.account_id is null and n.state = 'accepted')::int as accepted,
    (d.account_id is not null)::int as deferred,
    (d.account_id is null and n.state = 'failed')::int as failed
  from (
    select distinct on (r.account_id, r.message_id, r.lane, r.ordinal)
      r.account_id, r.message_id, r.lane, r.ordinal, r.state, r.at
    from results r
    order by r.account_id, r.message_id, r.lane, r.ordinal, r.attempt desc
  ) n
  left join deferrals d on d.account_id = n.account_id and d.message_id = n.message_id
    and d.lane = n.lane and d.ordinal = n.ordinal
  union all
  select c.account_id, c.message_id, c.lane, (c.last_at at time zone 'UTC')::date, c.accepted, 0, 0
  from compacted_ranges c
  where c.accepted > 0
  union all
  -- The lane of a single send is the mailbox provider of its address.
  select s.account_id, s.message_id,
    case when s.channel = 'sms' then 0 else coalesce(p.mailbox, 0) end,
    (coalesce(s.finished_at, s.created_at) at time zone 'UTC')::date,
    (s.state = 'accepted')::int, (s.state in ('deferred', 'handing_over'))::int,
    (s.state = 'failed')::int
  from single_sends s
  left join subscribers p on p.account_id = s.account_id and p.id = s.subscriber_id
  where s.state in ('accepted', 'failed', 'deferred')
    or (s.state = 'handing_over' and s.relay is not null)
) counted
group by account_id, message_id, lane, day
having sum(accepted) > 0 or sum(deferred) > 0 or sum(failed) > 0;
