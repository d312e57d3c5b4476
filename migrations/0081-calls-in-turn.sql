-- Calls of workflows are made step by step, each in turn: which steps have calls due, and the oldest of one.
create index webhook_calls_waiting on webhook_calls (account_id, step_id, next_at, id) where state = 'due';
drop index webhook_calls_due;
