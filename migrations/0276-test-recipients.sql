-- Recipients of earlier test emails and test SMS, offered again to all users of the account.
create table test_recipients (
  account_id bigint not null references accounts (id) on delete cascade,
  channel text not null check (channel in ('email', 'sms')),
  -- in lower case
  contact_key text collate "C" not null,
  contact text not null,
  used_at timestamptz not null,
  primary key (account_id, channel, contact_key)
);
select sendloom_distribute('test_recipients');
