-- A second try for those who opened nothing: a campaign of its own with the same content and another
-- subject, some hours after the first left.
create table campaign_resends (
  account_id bigint not null,
  -- the campaign that goes first
  campaign_id bigint not null,
  subject text not null,
  delay_hours integer not null check (delay_hours between 12 and 168),
  state text not null default 'waiting' check (state in ('waiting', 'started', 'cancelled', 'failed')),
  -- set once the first has left
  due_at timestamptz,
  -- why it failed
  reason text,
  created_at timestamptz not null,
  modified_at timestamptz not null,
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references campaigns (account_id, id) on delete cascade
);
create index campaign_resends_due on campaign_resends (account_id, due_at) where state = 'waiting';
alter table campaigns add column resend_of bigint;
create index campaigns_resending on campaigns (account_id, resend_of) where resend_of is not null;
select sendloom_distribute('campaign_resends');
-- The name by which web statistics know its visitors; null adds nothing to links.
alter table campaigns add column utm_campaign text;
