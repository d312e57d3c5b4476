-- The request that started a message, for the lines of its senders in the log; null for scheduled
-- messages, and for those that several requests share.
alter table messages add column request_id text;
