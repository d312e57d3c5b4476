-- Searches by a kind of author that is rare read the whole log: 2.2 s with 10,000,000 rows. Programs write
-- most of a large log, so their rows need no index, and cost nothing on insert.
create index audit_by_actor on audit (account_id, actor, at, id) where actor <> 'token';
