-- Whether a user is written to when a campaign of their accounts has been sent or was stopped.
alter table users add column notify_campaigns boolean not null default false;
