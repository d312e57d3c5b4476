-- Opens and clicks of a message by what they were read on and where from; '' where nobody knows.
-- Exact: added to in the transaction that records the events.
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
insert into engagement_by
select account_id, message_id, 'device', coalesce(device, ''),
  count(*) filter (where kind = 'open'),
  count(*) filter (where kind = 'open' and verdict = 'human'),
  count(*) filter (where kind = 'click'),
  count(*) filter (where kind = 'click' and verdict = 'human')
from events where kind in ('open', 'click') group by account_id, message_id, coalesce(device, '');
insert into engagement_by
select account_id, message_id, 'country', coalesce(country, ''),
  count(*) filter (where kind = 'open'),
  count(*) filter (where kind = 'open' and verdict = 'human'),
  count(*) filter (where kind = 'click'),
  count(*) filter (where kind = 'click' and verdict = 'human')
from events where kind in ('open', 'click') group by account_id, message_id, coalesce(country, '');
select sendloom_distribute('engagement_by');

-- Sums that must read every recipient of a large message, kept for as long as they are fresh enough.
create table report_sums (
  account_id bigint not null,
  message_id bigint not null,
  aspect text collate "C" not null,
  computed_at timestamptz not null,
  rows jsonb not null,
  primary key (account_id, message_id, aspect)
);
select sendloom_distribute('report_sums');
