-- Accounts with sample data, which their owner removes with all of their rows.

alter table accounts add column is_sample boolean not null default false;
