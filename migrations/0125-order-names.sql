-- Names of orders go with their store and, by their own statements, with their orders: the key to the order cost a look
-- at it for each name that was told.
alter table order_sightings drop constraint order_sightings_account_id_order_id_fkey;
alter table order_sightings add foreign key (account_id, store_id) references stores (account_id, id)
  on delete cascade;
