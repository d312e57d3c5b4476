-- Browsers in which a user wants to be told of campaigns: where each takes its notices, and what seals them.
create table push_subscriptions (
  -- SHA-256 of the endpoint: a browser has one, whoever uses it
  endpoint_hash bytea primary key,
  user_id bigint not null references users (id) on delete cascade,
  -- what the browser is signed in by: where that ends, nobody is told there any more
  account_id bigint not null,
  session_id bigint not null,
  endpoint text not null,
  -- the browser's public key and the shared secret (RFC 8291), base64url
  p256dh text not null,
  auth text not null,
  created_at timestamptz not null
);
create index push_subscriptions_of_users on push_subscriptions (user_id);
create index push_subscriptions_of_sessions on push_subscriptions (account_id, session_id);
select sendloom_reference('push_subscriptions');
