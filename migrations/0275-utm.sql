-- Default UTM parameters of an account, for links in emails and SMS.
create table utm_defaults (
  account_id bigint primary key references accounts (id) on delete cascade,
  -- new email campaigns start with UTM parameters
  is_on boolean not null,
  -- by name (source, medium, campaign, term, content, id); blank ones are built in or not added
  "values" jsonb not null,
  modified_at timestamptz not null
);
select sendloom_distribute('utm_defaults');

-- Parameters of a campaign by name; absent and blank ones are the account's.
alter table campaigns add column utm jsonb not null default '{}';
alter table sms_campaigns add column utm jsonb not null default '{}';

-- A blank utm_campaign added nothing; from now on it is the account's default.
update campaigns set utm_campaign = null where utm_campaign = '';

-- The URL as its author wrote it, if UTM parameters were added; null otherwise, and in links of
-- earlier releases.
alter table links add column written_url text;
