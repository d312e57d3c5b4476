-- Health of a sending domain at each mailbox provider, as measured last. The row with mailbox -1 holds
-- what concerns the whole domain.
create table domain_health (
  account_id bigint not null references accounts (id) on delete cascade,
  domain text not null,
  mailbox smallint not null,
  state text not null check (state in ('good', 'watch', 'act', 'stopped', 'no_data')),
  causes jsonb not null default '[]',
  figures jsonb not null default '{}',
  -- since when it has been in this state
  since timestamptz not null,
  measured_at timestamptz not null,
  primary key (account_id, domain, mailbox)
);
select sendloom_distribute('domain_health');
