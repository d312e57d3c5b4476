-- Single sends have a priority: a password reset never waits behind an account's workflow mails.
-- 0: somebody waits for it; 1: confirmations of sign-ups; 2: marketing, which shares the senders with campaigns.
alter table single_sends add column priority smallint not null default 0;
drop index single_sends_due;
create index single_sends_due on single_sends (account_id, priority, next_attempt_at)
  where state in ('pending', 'deferred', 'handing_over');
