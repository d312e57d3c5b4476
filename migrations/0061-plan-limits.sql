-- Messages that stand still because a plan's emails are used up or the account is suspended: looked at by
-- the clock, since a new month or a larger plan lets them go on.
create index messages_limited on messages (account_id, id)
  where state = 'paused' and state_reason in ('plan_limit', 'account_suspended');
