-- Carts of calls with the public key alone belong to the visitor who sent them: two visitors may name the same cart
-- number, and neither reaches the other's cart nor the store's own. Empty: a cart of a trusted call.
alter table carts
  add column claimed_by text collate "C" not null default '',
  drop constraint carts_remote;
alter table carts
  add constraint carts_remote unique (account_id, store_id, remote_id, claimed_by);

-- Visitors who asked for a shop's newsletter with the public key alone: active once the mailed link is confirmed.
create table store_confirmations (
  account_id bigint not null,
  hash bytea not null,
  store_id bigint not null,
  subscriber_id bigint not null,
  mailed_at timestamptz not null,
  confirmed_at timestamptz,
  expires_at timestamptz not null,
  primary key (account_id, hash),
  foreign key (account_id, store_id) references stores (account_id, id) on delete cascade
);
create index store_confirmations_person
  on store_confirmations (account_id, subscriber_id, mailed_at);
create index store_confirmations_expired on store_confirmations (expires_at);
select sendloom_distribute('store_confirmations');
