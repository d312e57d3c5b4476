-- What connected services report about a sending domain, by day.
create table domain_signals (
  account_id bigint not null,
  domain_id bigint not null,
  -- shares: spam_rate, tls, dkim, spf, dmarc, errors
  kind text not null,
  day date not null,
  value double precision not null,
  fetched_at timestamptz not null,
  primary key (account_id, domain_id, kind, day),
  foreign key (account_id, domain_id) references domains (account_id, id) on delete cascade
);
select sendloom_distribute('domain_signals');

-- An account's connection to Google Postmaster Tools.
create table postmaster_connections (
  account_id bigint primary key references accounts (id) on delete cascade,
  -- sealed: a refresh token, or the key of a service account
  credentials bytea not null,
  -- the service account's address; empty for a user's consent
  title text not null,
  fault text check (fault in ('refused', 'disabled', 'unavailable')),
  checked_at timestamptz,
  due_at timestamptz not null,
  created_at timestamptz not null
);
select sendloom_distribute('postmaster_connections');

-- Microsoft's data about the installation's own addresses (SNDS).
create table snds_days (
  ip text collate "C" not null,
  day date not null,
  messages integer not null,
  -- of Microsoft's filter: green, yellow or red
  result text not null check (result in ('green', 'yellow', 'red')),
  -- upper end of the reported range; null if none is reported
  complaints double precision,
  traps integer not null,
  fetched_at timestamptz not null,
  primary key (ip, day)
);
