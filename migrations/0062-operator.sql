-- What each process says of itself with its sign of life: host, versions, memory, pauses, errors, relays.
alter table processes add column facts jsonb not null default '{}';
