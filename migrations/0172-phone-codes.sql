-- A code sent by SMS to a number proves that the number is its account's.
alter table phones drop constraint phones_proof_check;
alter table phones add constraint phones_proof_check
  check (proof in ('built_in', 'provider', 'operator', 'earlier', 'code'));

-- The newest code of a sender: a new one replaces it.
create table phone_codes (
  account_id bigint not null,
  phone_id bigint not null,
  code_hash bytea not null,
  -- wrong codes that were entered
  attempts smallint not null default 0,
  expires_at timestamptz not null,
  primary key (account_id, phone_id),
  foreign key (account_id, phone_id) references phones (account_id, id) on delete cascade
);
select sendloom_distribute('phone_codes');

-- When codes were sent within the last hour, by number and by account: replicated to every node, so that the limit of a
-- number holds across all accounts.
create table phone_code_sends (
  key text collate "C" primary key,
  sent_at timestamptz[] not null,
  last_sent_at timestamptz not null
);
create index phone_code_sends_last on phone_code_sends (last_sent_at);
select sendloom_reference('phone_code_sends');
