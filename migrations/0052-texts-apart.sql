-- Clicks on links of texts stand beside those of mails, and are no activity by email: conditions on opens
-- and clicks ask for mails alone.
alter table events add column is_text boolean not null default false;
