-- Notes about items become comments: at a block, with mentions, resolved; about templates too.
alter table item_notes
  add column block_id text,
  -- users mentioned
  add column mentions bigint[] not null default '{}',
  add column resolved_at timestamptz,
  add column resolved_by text;
alter table item_notes drop constraint item_notes_kind_check;
alter table item_notes add constraint item_notes_kind_check
  check (kind in ('campaign', 'sms', 'workflow', 'form', 'template'));
