-- When it is looked next whether anything still names an image that is out of the library: its files go
-- once nothing does.
alter table images add column purge_at timestamptz;
update images set purge_at = (deleted_at at time zone 'UTC' + interval '30 days') at time zone 'UTC'
  where deleted_at is not null;
create index images_by_purge on images (account_id, purge_at) where purge_at is not null;
