-- Subscribers that approved acts in the background have changed so far, over all attempts of their
-- job: together they must not exceed the ceiling.
alter table approvals add column used bigint not null default 0;
