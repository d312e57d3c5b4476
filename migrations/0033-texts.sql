-- Texts (SMS) leave through the same ledger as mails, by senders of their own.
alter table single_sends add column channel text not null default 'email';
alter table single_sends add constraint single_sends_channel_check check (channel in ('email', 'sms'));
drop index single_sends_due;
create index single_sends_due on single_sends (account_id, channel, priority, next_attempt_at)
  where state in ('pending', 'deferred', 'handing_over');

-- What a provider took a text for and told of it later: by the place in the ledger, or of a single send (lane -1,
-- its id as ordinal). A callback may come before the answer to the call.
create table sms_results (
  account_id bigint not null,
  message_id bigint not null,
  lane smallint not null,
  ordinal bigint not null,
  attempt smallint not null default 1,
  parts smallint,
  -- millionths of the currency that the provider charges in; null where it does not say
  cost_micros bigint,
  remote_id text,
  delivered_at timestamptz,
  undelivered_at timestamptz,
  error text,
  primary key (account_id, message_id, lane, ordinal, attempt)
);
select sendloom_distribute('sms_results');
