-- Subscribers of a segment that marketing SMS reach; null until the next count.
alter table segments add column active_phone_count bigint;
