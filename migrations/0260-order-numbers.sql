-- The search finds orders by the beginning of their number, written with or without `#`.
create index orders_by_number on orders
  (account_id, (ltrim(lower(coalesce(number, remote_id)), '#') collate "C"));
