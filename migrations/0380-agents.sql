-- Assistants that work on an account over MCP: what they did today, and their latest acts.
create table agent_use (
  account_id bigint not null references accounts (id) on delete cascade,
  -- the token or grant: token:12
  caller text not null,
  -- in UTC
  day date not null,
  calls integer not null default 0,
  -- subscribers shown
  people integer not null default 0,
  drafts integer not null default 0,
  proposals integer not null default 0,
  -- recipients of the proposals
  emails bigint not null default 0,
  primary key (account_id, caller, day)
);
select sendloom_distribute('agent_use');

-- An equal call within two minutes runs under the same idempotency key.
create table agent_acts (
  account_id bigint not null references accounts (id) on delete cascade,
  caller text not null,
  -- of the tool and its arguments
  hash bytea not null,
  key text not null,
  at timestamptz not null,
  primary key (account_id, caller, hash)
);
select sendloom_distribute('agent_acts');

alter table audit drop constraint audit_actor_check;
alter table audit add constraint audit_actor_check
  check (actor in ('session', 'token', 'agent', 'system')) not valid;
