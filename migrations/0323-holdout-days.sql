-- Days after the start whose orders show the effect of a campaign against its holdout.
alter table campaign_experiments add column holdout_days smallint not null default 7;
alter table campaign_experiments
  add constraint campaign_experiments_holdout_days_check check (holdout_days between 1 and 30);
alter table sms_experiments add column holdout_days smallint not null default 7;
alter table sms_experiments
  add constraint sms_experiments_holdout_days_check check (holdout_days between 1 and 30);
