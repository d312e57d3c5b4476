-- Acceptance of terms is a consent of its own kind: it was stored as consent to email, marked only
-- in its details.
alter table consents drop constraint consents_channel_check;
alter table consents add constraint consents_channel_check
  check (channel in ('email', 'temail', 'sms', 'tsms', 'terms'));
update consents set channel = 'terms' where channel = 'email' and details ->> 'kind' = 'terms';
