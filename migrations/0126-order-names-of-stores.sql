-- contract: names of orders go with their store; processes of the version before are not to be held to that
alter table order_sightings add foreign key (account_id, store_id) references stores (account_id, id)
  on delete cascade;
