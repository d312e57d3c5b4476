-- Mail exchangers of recipients' domains, looked up in DNS, for seven days.
create table mail_hosts (
  domain text collate "C" primary key,
  -- The registrable domain of the first exchanger; empty where the domain accepts no email.
  host text not null,
  accepts_email boolean not null,
  checked_at timestamptz not null
);
create index mail_hosts_by_age on mail_hosts (checked_at);
