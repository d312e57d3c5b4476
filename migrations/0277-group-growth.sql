-- Counts members who joined a group in a period.
create index group_members_by_time on group_members (account_id, group_id, created_at);
