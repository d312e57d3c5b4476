-- The second factor of a user's sign-in: the secret of their app, sealed, and codes for the day it is lost, hashed.
create table two_factors (
  user_id bigint primary key references users (id) on delete cascade,
  secret bytea not null,
  created_at timestamptz not null,
  -- unset until a first code proved that the app has the secret
  confirmed_at timestamptz,
  -- the half minute of the last code that was taken: no code opens twice
  last_step bigint not null default 0,
  recovery_hashes bytea[] not null default '{}'
);
select sendloom_reference('two_factors');
