-- Names of orders go with their orders by the statements that delete those: the key to the order cost a look at it for
-- each name that was told.
alter table order_sightings drop constraint order_sightings_account_id_order_id_fkey;
