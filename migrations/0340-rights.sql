-- Rights: what a user may not do in an account, and what a token is limited to.
alter table memberships add column denied text[] not null default '{}';
-- The rights of the user who accepts.
alter table invitations add column denied text[] not null default '{}';

alter table api_tokens
  -- null: everything that its user may do
  add column scopes text[],
  -- the secret before the last rotation, and until when it is accepted
  add column former_hash bytea,
  add column former_until timestamptz,
  -- CIDR ranges that may use it; null: any network
  add column networks text[],
  add column last_ip text,
  add column last_client text;
create index api_tokens_former on api_tokens (account_id, former_hash) where former_hash is not null;
