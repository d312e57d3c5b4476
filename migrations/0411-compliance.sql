-- Gmail's verdict on its requirements for senders, per sending domain, as retrieved last.
create table domain_compliance (
  account_id bigint not null,
  domain_id bigint not null,
  requirement text not null check (requirement in ('spf', 'dkim', 'spf_and_dkim', 'dmarc_policy',
    'dmarc_alignment', 'message_formatting', 'dns_records', 'encryption', 'user_reported_spam_rate',
    'one_click_unsubscribe', 'honor_unsubscribe')),
  is_met boolean not null,
  -- of an unmet requirement, where Gmail states one
  reason text,
  -- since when it has been met, or unmet
  since timestamptz not null,
  fetched_at timestamptz not null,
  primary key (account_id, domain_id, requirement),
  foreign key (account_id, domain_id) references domains (account_id, id) on delete cascade
);
select sendloom_distribute('domain_compliance');
