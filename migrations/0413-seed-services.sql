-- Seed mailboxes that are opened by OAuth: `password` holds the sealed refresh token.
alter table seed_mailboxes add column service text;
alter table seed_mailboxes add constraint seed_mailboxes_service_check
  check (service in ('google', 'microsoft'));
