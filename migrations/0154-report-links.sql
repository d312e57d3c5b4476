-- Links by which anybody sees a campaign's report until a day: one a campaign, a new one takes the old one's place.
create table report_links (
  account_id bigint not null references accounts (id) on delete cascade,
  campaign_id bigint not null,
  -- the part of the link that cannot be guessed
  secret text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (account_id, campaign_id)
);
select sendloom_distribute('report_links');
