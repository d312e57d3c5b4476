-- Stores that are connected: how they are spoken with, what they told and what is still to be taken in,
-- visitors before they are known, carts that are left, orders under the names that they were told by.
alter table stores
  -- connecting: the first import runs; failing: its last calls failed; disconnected: kept for its orders
  add column state text not null default 'live',
  -- address and keys, sealed
  add column credentials bytea,
  -- what the shop's plugin presented, for callbacks to it; sealed
  add column plugin_token bytea,
  -- signs the shop's hooks; sealed
  add column hook_secret bytea,
  -- what the owner chose: the group of customers, minutes until a cart counts as left
  add column settings jsonb not null default '{}',
  -- by kind, where the next pull goes on
  add column cursors jsonb not null default '{}',
  -- of the first import: taken in so far, by kind, and of how many where the shop says
  add column progress jsonb not null default '{}',
  -- the last pull that reached its end, and the last that looked a week back
  add column synced_at timestamptz,
  add column reviewed_at timestamptz,
  -- when the next pull is due; null where the shop tells everything by itself
  add column due_at timestamptz,
  add column failing_since timestamptz,
  -- a code, worded by the product
  add column failure text,
  add column told_at timestamptz;
alter table stores add constraint stores_state_check
  check (state in ('connecting', 'live', 'failing', 'disconnected'));
create index stores_due on stores (due_at, account_id, id) where due_at is not null;

alter table products
  alter column price type numeric(18, 4),
  add column description text,
  add column old_price numeric(18, 4),
  add column categories text[] not null default '{}',
  -- sold at present; others stay for the orders that name them
  add column is_listed boolean not null default true;
create index products_by_created on products (account_id, store_id, created_at desc);
create index products_by_sku on products (account_id, store_id, sku) where sku is not null;

alter table carts
  alter column subscriber_id drop not null,
  alter column total type numeric(18, 4),
  add column visitor text collate "C",
  add column state text not null default 'open',
  -- one more with each change; the version that was told as left
  add column version integer not null default 1,
  add column told_version integer,
  add column told_at timestamptz,
  add column order_id bigint;
alter table carts add constraint carts_state_check
  check (state in ('open', 'abandoned', 'recovered', 'ordered', 'given_up'));
update carts set state = 'given_up' where closed_at is not null;
-- Carts that may have been left: by the time of their last change.
create index carts_open on carts (modified_at, account_id, id)
  where state in ('open', 'recovered') and subscriber_id is not null;
create index carts_by_visitor on carts (account_id, visitor) where visitor is not null;

alter table cart_products
  alter column price type numeric(18, 4),
  add column url text,
  add column sku text;

alter table orders
  alter column total type numeric(18, 4),
  add column subtotal numeric(18, 4),
  add column tax numeric(18, 4),
  add column discount numeric(18, 4),
  add column shipping numeric(18, 4),
  add column refunded numeric(18, 4) not null default 0,
  -- the shop's own word
  add column status text not null default '',
  -- hook, pull, plugin, browser, demo
  add column source text not null default 'import',
  -- false: unpaid yet, or told by a browser alone, which anybody can forge; counts once the shop says so
  add column is_confirmed boolean not null default true,
  add column fulfilled_at timestamptz,
  add column cart_id bigint,
  -- by group of fields, milliseconds of the newest word about them: an older one changes nothing
  add column told jsonb not null default '{}';
update orders set refunded = total where refunded_at is not null;
create index orders_by_store on orders (account_id, store_id, placed_at);

alter table order_products
  alter column price type numeric(18, 4);
create index order_products_by_subscriber on order_products (account_id, subscriber_id)
  where not is_cancelled;

alter table shoppers
  alter column order_amount type numeric(18, 4);

-- Every name that an order was told under: `order:17`, `reference:XKBKNABJK`, `cart:55`.
create table order_sightings (
  account_id bigint not null,
  store_id bigint not null,
  name text collate "C" not null,
  order_id bigint not null,
  primary key (account_id, store_id, name),
  foreign key (account_id, order_id) references orders (account_id, id) on delete cascade
);
create index order_sightings_by_order on order_sightings (account_id, order_id);
select sendloom_distribute('order_sightings');

-- A shop's own number of a customer, so that what names the number alone finds its person.
create table store_customers (
  account_id bigint not null,
  store_id bigint not null,
  remote_id text collate "C" not null,
  subscriber_id bigint not null,
  primary key (account_id, store_id, remote_id),
  foreign key (account_id, store_id) references stores (account_id, id) on delete cascade
);
create index store_customers_by_subscriber on store_customers (account_id, subscriber_id);
select sendloom_distribute('store_customers');

-- Browsers on customers' sites, known by a cookie; whose they are, once that is known.
create table visitors (
  account_id bigint not null references accounts (id) on delete cascade,
  key text collate "C" not null,
  subscriber_id bigint,
  seen_at timestamptz not null,
  primary key (account_id, key)
);
create index visitors_by_subscriber on visitors (account_id, subscriber_id)
  where subscriber_id is not null;
create index visitors_by_seen on visitors (seen_at);
select sendloom_distribute('visitors');

-- Append-only: products that known people looked at.
create table product_views (
  account_id bigint not null,
  subscriber_id bigint not null,
  at timestamptz not null,
  product_id bigint not null,
  primary key (account_id, subscriber_id, at, product_id)
);
create index product_views_by_product on product_views (account_id, product_id, at);
select sendloom_distribute('product_views');

-- What shops told, as it came: answered once it stands here, taken in after.
create table store_inbox (
  account_id bigint not null,
  id bigint generated by default as identity,
  store_id bigint not null,
  -- the same word told twice has the same key
  key text collate "C" not null,
  topic text not null,
  body jsonb not null,
  received_at timestamptz not null,
  done_at timestamptz,
  failures smallint not null default 0,
  retry_at timestamptz not null,
  -- why it was not taken in; kept with the word for whoever looks after it
  failure text,
  primary key (account_id, id),
  constraint store_inbox_key unique (account_id, store_id, key),
  foreign key (account_id, store_id) references stores (account_id, id) on delete cascade
);
create index store_inbox_due on store_inbox (retry_at, account_id, store_id, id) where done_at is null;
create index store_inbox_done on store_inbox (done_at) where done_at is not null;
select sendloom_distribute('store_inbox');
