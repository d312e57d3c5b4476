-- The autopilot of a sending domain at a mailbox provider.
create table pilots (
  account_id bigint not null references accounts (id) on delete cascade,
  domain text not null,
  mailbox smallint not null,
  mode text not null default 'suggest' check (mode in ('off', 'suggest', 'act')),
  -- hourly limit; null for none
  per_hour integer check (per_hour > 0),
  -- the limit at which it ends
  ends_at_per_hour integer check (ends_at_per_hour > 0),
  is_paused boolean not null default false,
  moved_at timestamptz,
  -- no moves until then: the owner undid one
  held_until timestamptz,
  -- sums of a day at earlier instants
  readings jsonb not null default '[]',
  primary key (account_id, domain, mailbox)
);
select sendloom_distribute('pilots');

create table pilot_moves (
  account_id bigint not null references accounts (id) on delete cascade,
  id bigint generated always as identity,
  domain text not null,
  mailbox smallint not null,
  move text not null check (move in ('begin', 'slow', 'pause', 'raise', 'resume', 'end')),
  cause text not null check (cause in ('new', 'deferrals', 'refusals', 'complaints', 'clean')),
  count bigint not null,
  of bigint not null,
  from_per_hour integer,
  to_per_hour integer,
  state text not null check (state in ('suggested', 'done', 'undone', 'expired')),
  at timestamptz not null,
  decided_at timestamptz,
  decided_by bigint,
  primary key (account_id, id)
);
create index pilot_moves_by_time on pilot_moves (account_id, domain, mailbox, at);
select sendloom_distribute('pilot_moves');
