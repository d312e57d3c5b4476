-- Orders whose state does not count yet, for the card of their store.
create index orders_uncounted on orders (account_id, store_id, status)
  where not is_confirmed and status <> '';
