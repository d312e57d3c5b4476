-- The BIMI record of a sending domain and its logo, as checked last.
create table bimi_states (
  account_id bigint not null,
  domain_id bigint not null,
  record text,
  logo text,
  certificate text,
  -- codes of what is missing or wrong
  findings text[] not null default '{}',
  -- expiry of the certificate
  valid_until timestamptz,
  checked_at timestamptz not null,
  primary key (account_id, domain_id),
  foreign key (account_id, domain_id) references domains (account_id, id) on delete cascade
);
select sendloom_distribute('bimi_states');
