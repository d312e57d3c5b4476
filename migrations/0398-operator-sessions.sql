-- Sessions of the operator's page, on the coordinator: they work while the node of the operator's
-- account is away.
create table operator_sessions (
  -- of the secret in the cookie
  secret_hash bytea primary key,
  user_id bigint not null,
  account_id bigint not null,
  -- the account's session of the same sign-in; null if its node was away
  session_id bigint,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index operator_sessions_account on operator_sessions (account_id, user_id);
