-- Every call that sends, creates or pays takes an Idempotency-Key, also those that answer a secret once: their
-- answers are kept sealed, with the headers that belong to them. Nothing kept means that the call is under way.
delete from idempotency_keys;
alter table idempotency_keys drop column answer, drop column status, add column kept bytea;
