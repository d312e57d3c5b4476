-- Counts members who joined in a period. Not a B-tree that starts with account and group: where the
-- planner estimates one row for an account, it would read a whole group for each subscriber.
create index group_members_by_time on group_members using brin (created_at);
