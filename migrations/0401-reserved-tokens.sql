-- Tokens of requests to a model that are under way, so that requests at the same time share the
-- monthly bound. Requests take a minute at most: after reserved_until none is under way.
alter table model_use add column reserved bigint not null default 0;
alter table model_use add column reserved_until timestamptz;
