-- Sites that load the account's form script: their owner sees that the tag works, and when it was
-- last seen. Written at most once a minute per process and host.
create table form_sites (
  account_id bigint not null references accounts (id) on delete cascade,
  host text collate "C" not null,
  seen_at timestamptz not null,
  primary key (account_id, host)
);
select sendloom_distribute('form_sites');
