-- What an endpoint receives, as it was true in the transaction of the event: later changes and deletions do not reach it.
alter table endpoint_events add column body text;
