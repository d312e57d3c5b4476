-- Domains whose name servers did not answer: they are looked up again after a day instead of seven.
alter table mail_hosts add column is_unanswered boolean not null default false;
