-- What DNS says of the addresses and domains that send: reverse names, and blocklists.
create table sending_ips (
  ip text collate "C" primary key,
  -- the reverse name that resolves to the address again; empty without one
  host text not null default '',
  -- null before the first definite answer
  is_confirmed boolean,
  seen_at timestamptz not null,
  checked_at timestamptz
);

create table blocklist_states (
  list text collate "C" not null,
  -- an address or a domain
  subject text collate "C" not null,
  state text not null check (state in ('clear', 'suspected', 'listed', 'unknown')),
  code text not null,
  -- the first of consecutive positive answers
  positive_at timestamptz,
  checked_at timestamptz not null,
  primary key (list, subject)
);
