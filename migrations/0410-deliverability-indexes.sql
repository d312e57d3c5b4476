-- Moves of an account by time: read every five minutes, and deleted after 400 days.
create index pilot_moves_by_account on pilot_moves (account_id, at);
-- Mailbox providers that report complaints. Most rows have none, and are not part of it.
create index setback_counts_reporting on setback_counts (account_id, day, mailbox)
  where complaints > 0;
