-- Whose address it was, as long as that person is there: the list of suppressions can name them. Nobody
-- for the erased, and for addresses that nobody here has.
alter table suppressions add column subscriber_id bigint;
create index suppressions_by_time on suppressions (account_id, channel, created_at, address_hash);
