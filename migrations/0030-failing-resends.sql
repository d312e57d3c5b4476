-- Since when a resend that waits has failed as nobody expected: counted in the memory of one process, each new
-- one began anew, and it never ended.
alter table campaign_resends add column failing_since timestamptz;
