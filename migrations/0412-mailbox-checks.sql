-- When the domains of an account's subscribers were last assigned to their hosts (Google Workspace,
-- Microsoft 365 and others) by their mail exchangers.
create table mailbox_checks (
  account_id bigint primary key references accounts (id) on delete cascade,
  checked_at timestamptz not null
);
select sendloom_distribute('mailbox_checks');
