-- Campaigns of texts go to groups and segments, and leave some out, as those of emails do.
alter table sms_campaigns add column revision integer not null default 1;

create table sms_campaign_groups (
  account_id bigint not null,
  campaign_id bigint not null,
  group_id bigint not null,
  is_excluded boolean not null,
  primary key (account_id, campaign_id, group_id, is_excluded),
  foreign key (account_id, campaign_id) references sms_campaigns (account_id, id) on delete cascade
);
create index sms_campaign_groups_by_group on sms_campaign_groups (account_id, group_id);
select sendloom_distribute('sms_campaign_groups');

create table sms_campaign_segments (
  account_id bigint not null,
  campaign_id bigint not null,
  segment_id bigint not null,
  is_excluded boolean not null,
  primary key (account_id, campaign_id, segment_id, is_excluded),
  foreign key (account_id, campaign_id) references sms_campaigns (account_id, id) on delete cascade
);
create index sms_campaign_segments_by_segment on sms_campaign_segments (account_id, segment_id);
select sendloom_distribute('sms_campaign_segments');

create index sms_campaigns_due on sms_campaigns (account_id, scheduled_at)
  where status = 'SCHEDULED' and message_id is null;
create index sms_campaigns_by_message on sms_campaigns (account_id, message_id) where message_id is not null;
