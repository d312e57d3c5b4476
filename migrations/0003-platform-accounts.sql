-- The platform's tables of accounts: answers kept for repeated calls, and stored files.

-- Every stored file, so that an account's files can be listed, counted and deleted.
create table files (
  account_id bigint not null references accounts (id) on delete cascade,
  key text collate "C" not null,
  purpose text not null,
  name text,
  content_type text,
  size bigint not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (account_id, key)
);
select sendloom_distribute('files');

-- Responses to requests with an idempotency key, stored for 24 hours: repeating the request returns the first
-- response; another body under the same key is refused.
create table idempotency_keys (
  account_id bigint not null,
  call text collate "C" not null,
  key text collate "C" not null,
  body_hash bytea not null,
  created_at timestamptz not null,
  kept bytea,
  primary key (account_id, call, key)
);
create index idempotency_keys_by_age on idempotency_keys (account_id, created_at);
select sendloom_distribute('idempotency_keys');
