-- Workflows: texts as steps, several passes of one person about different things, goals, what wakes who waits,
-- dates and segments as triggers, counts of each step, and when marketing must wait.
alter table workflow_steps drop constraint workflow_steps_type_check;
alter table workflow_steps add constraint workflow_steps_type_check
  check (type in ('trigger', 'EMAIL', 'SMS', 'ACTION', 'CONDITION', 'delay'));

-- `subject`: the order, cart, event or day that started it; 0 where it is the person alone.
alter table workflow_runs
  add column subject bigint not null default 0,
  -- values of what started it, for merge tags
  add column facts jsonb,
  -- why they stand where they stand: a code; null where the step itself makes them wait
  add column held_for text,
  -- when they reached the goal, inside or after
  add column goal_at timestamptz;
alter table workflow_runs drop constraint workflow_runs_pkey;
alter table workflow_runs add primary key (account_id, workflow_id, subscriber_id, subject);
create index workflow_runs_at_step on workflow_runs (account_id, step_id, subscriber_id) where ended_at is null;

alter table workflow_past_passes add column subject bigint not null default 0;
alter table workflow_past_passes drop constraint workflow_past_passes_pkey;
alter table workflow_past_passes
  add primary key (account_id, workflow_id, subscriber_id, subject, pass);

alter table workflow_inbox
  add column subject bigint not null default 0,
  add column facts jsonb,
  -- what owners did by hand: conditions are asked anew, nobody enters
  add column is_quiet boolean not null default false;

-- Until when its dates, or the time in its segment's conditions, were looked at.
alter table workflows add column swept_at timestamptz;

-- Who is in the trigger's segment: 64 people to a row, the lowest bit for the first.
create table workflow_members (
  account_id bigint not null,
  workflow_id bigint not null,
  place bigint not null,
  bits bigint not null,
  primary key (account_id, workflow_id, place)
);
select sendloom_distribute('workflow_members');

-- How many people left a step, by what became of them there; `entered` counts who came.
create table workflow_step_counts (
  account_id bigint not null,
  workflow_id bigint not null,
  step_id bigint not null,
  outcome text not null,
  people bigint not null,
  primary key (account_id, workflow_id, step_id, outcome)
);
select sendloom_distribute('workflow_step_counts');

-- When automation's marketing waits: at most so many messages in so many days to a person, never at night.
create table contact_guards (
  account_id bigint not null references accounts (id) on delete cascade,
  messages integer check (messages between 1 and 100),
  days integer not null default 7 check (days between 1 and 90),
  -- wall times, HH:MM
  quiet_from text check (quiet_from ~ '^\d\d:\d\d$'),
  quiet_until text check (quiet_until ~ '^\d\d:\d\d$'),
  primary key (account_id),
  check ((quiet_from is null) = (quiet_until is null))
);
select sendloom_distribute('contact_guards');

-- Which conditions the members were found by: others settle anew, and start nothing.
alter table workflows add column segment_key text;
