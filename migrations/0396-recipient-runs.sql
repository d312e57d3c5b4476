-- Recipients of compacted messages in runs of 160 instead of rows.
create table recipient_runs (
  account_id bigint not null,
  message_id bigint not null,
  -- of the run's subscribers; runs of a message do not overlap
  first_id bigint not null,
  last_id bigint not null,
  -- recipient n is subscriber first_id + offsets[n] at (lanes[n], ordinals[n]); offsets ascend
  offsets integer[] not null,
  lanes smallint[] not null,
  ordinals integer[] not null,
  primary key (account_id, message_id, first_id)
);
select sendloom_distribute('recipient_runs');

-- The highest subscriber ID in its runs, which then have every recipient; 0 without any.
alter table messages add column packed_to bigint;
-- When the rows of recipients without a result were deleted.
alter table messages add column trimmed_at timestamptz;
-- Earlier versions read recipients only from rows. Not valid: a scan would prolong the lock.
alter table messages add constraint messages_not_packed check (packed_to is null) not valid;
