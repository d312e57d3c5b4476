-- Countries from which API tokens and connected assistants were used, in the order of the first use.
alter table api_tokens add column countries text[] not null default '{}';
alter table agent_grants add column countries text[] not null default '{}';
