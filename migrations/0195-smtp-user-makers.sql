-- Who made an SMTP user: a reset of that user's password ends it. Those of before count as the first member's.
alter table smtp_users add column user_id bigint;
update smtp_users s set user_id = m.user_id
from (
  select distinct on (account_id) account_id, user_id
  from memberships order by account_id, created_at, user_id
) m
where m.account_id = s.account_id;
