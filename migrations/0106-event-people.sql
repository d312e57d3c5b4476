-- Of each person and each custom event the first time, the last, and how many: what conditions ask of a person
-- who has thousands of occurrences is answered by one row.
create table event_people (
  account_id bigint not null,
  event_id bigint not null,
  subscriber_id bigint not null,
  times bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (account_id, event_id, subscriber_id),
  foreign key (account_id, event_id) references custom_events (account_id, id) on delete cascade
) with (fillfactor = 80);
create index event_people_by_subscriber on event_people (account_id, subscriber_id);
select sendloom_distribute('event_people');

insert into event_people (account_id, event_id, subscriber_id, times, first_at, last_at)
select account_id, event_id, subscriber_id, count(*), min(at), max(at)
from occurrences group by account_id, event_id, subscriber_id;

-- Days of an event are read for its people, without a look at the rows.
drop index occurrences_by_event;
create index occurrences_by_event on occurrences (account_id, event_id, at, id) include (subscriber_id);
