-- Imports from other services, what an import would change, and the way back.

-- fetching: rows are being fetched from another service; fetch_failed: they could not be
alter table imports add column sealed_key bytea;
-- null, queued, running, finished
alter table imports add column undo_state text;
alter table imports add column undo jsonb not null default '{}';
alter table imports add column undo_checkpoint bigint not null default 0;
alter table imports add column undone_at timestamptz;
-- what was kept for the way back goes then
alter table imports add column undoable_until timestamptz;

-- How people were whom an import changed, and what it told of them.
create table import_images (
  account_id bigint not null,
  import_id bigint not null,
  subscriber_id bigint not null,
  at timestamptz not null,
  before jsonb not null,
  after jsonb not null,
  primary key (account_id, import_id, subscriber_id),
  foreign key (account_id, import_id) references imports (account_id, id) on delete cascade
);
select sendloom_distribute('import_images');

-- Groups that people joined who had been there before.
create table import_memberships (
  account_id bigint not null,
  import_id bigint not null,
  subscriber_id bigint not null,
  group_id bigint not null,
  primary key (account_id, import_id, subscriber_id, group_id),
  foreign key (account_id, import_id) references imports (account_id, id) on delete cascade
);
select sendloom_distribute('import_memberships');

-- Whom the way back left as they are, and why.
create table import_undo_kept (
  account_id bigint not null,
  import_id bigint not null,
  subscriber_id bigint not null,
  reason text not null,
  primary key (account_id, import_id, subscriber_id, reason),
  foreign key (account_id, import_id) references imports (account_id, id) on delete cascade
);
select sendloom_distribute('import_undo_kept');

-- What an import would change: one forecast of each, for the order whose hash it carries.
create table import_forecasts (
  account_id bigint not null,
  import_id bigint not null,
  hash text collate "C" not null,
  state text not null check (state in ('queued', 'running', 'finished', 'failed')),
  settings jsonb not null,
  rows_read bigint not null default 0,
  result jsonb not null default '{}',
  created_at timestamptz not null,
  modified_at timestamptz not null,
  primary key (account_id, import_id),
  foreign key (account_id, import_id) references imports (account_id, id) on delete cascade
);
select sendloom_distribute('import_forecasts');
