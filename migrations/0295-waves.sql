-- A lane of a wave may be leased from opens_at until closes_at; null: at any time.
alter table lanes add column opens_at timestamptz;
alter table lanes add column closes_at timestamptz;
-- When the next wave of a message with waves opens: senders skip the message until then.
alter table messages add column opens_at timestamptz;
