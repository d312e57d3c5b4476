-- Several messages of one campaign: the variants of an experiment and the rest. `group_of` is the
-- lead message, also in the lead's own row; null for a message on its own.
alter table messages add column group_of bigint;
create index messages_by_group on messages (account_id, group_of) where group_of is not null;

-- Subscribers who get no email of the group, 64 ids to a row: bit n of block b is subscriber 64 * b + n.
create table message_holdouts (
  account_id bigint not null,
  -- the lead
  message_id bigint not null,
  block bigint not null,
  bits bigint not null,
  primary key (account_id, message_id, block)
);
select sendloom_distribute('message_holdouts');
