-- An SMS of several parts is delivered when all of them are: the parts' own ids and what became of each.
create table sms_parts (
  account_id bigint not null,
  message_id bigint not null,
  lane smallint not null,
  ordinal bigint not null,
  attempt smallint not null default 1,
  part_id text collate "C" not null,
  -- how many parts the SMS has
  parts smallint not null,
  delivered_at timestamptz,
  undelivered_at timestamptz,
  primary key (account_id, message_id, lane, ordinal, attempt, part_id)
);
select sendloom_distribute('sms_parts');

-- A receipt by SMPP names a part by its id, exactly or in another base, case or width.
create index sms_parts_smpp on sms_parts (part_id) where part_id like 'smpp:%';
create index sms_parts_smpp_alias on sms_parts (lower(regexp_replace(part_id, '/0+(.)', '/\1')))
  where part_id like 'smpp:%';
create index sms_results_smpp_alias on sms_results (lower(regexp_replace(remote_id, '/0+(.)', '/\1')))
  where remote_id like 'smpp:%';
