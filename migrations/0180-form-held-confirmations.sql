-- Why no confirmation email could be sent for a sign-up: its owner sees how many wait for what.
alter table form_submissions add column held_reason text;
alter table form_submissions add constraint form_submissions_held_reason_check
  check (held_reason in ('sender_missing', 'sender_not_verified'));
create index form_submissions_held on form_submissions (account_id, form_id) where held_reason is not null;
