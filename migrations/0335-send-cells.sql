-- What campaigns led to, by mailbox provider and by the recipients' last open or click before the start:
-- the history of forecasts. Counts only; a campaign is its lead message, with the sums of its group.
create table sealed_campaigns (
  account_id bigint not null references accounts (id) on delete cascade,
  message_id bigint not null,
  started_at timestamptz not null,
  sealed_at timestamptz not null,
  -- By currency: the number of attributed orders, and at most 200 of their amounts, evenly spaced by size.
  earned jsonb not null default '[]',
  primary key (account_id, message_id)
);
create index sealed_campaigns_by_start on sealed_campaigns (account_id, started_at);
select sendloom_distribute('sealed_campaigns');

create table send_cells (
  account_id bigint not null,
  message_id bigint not null,
  mailbox smallint not null,
  -- 0 to 3: last open or click within 30, 90, 180, 365 days; 4: earlier; 5: never; 6: new and never
  band smallint not null check (band between 0 and 6),
  people integer not null,
  -- opens and clicks: people who did, machines excluded
  opens integer not null,
  clicks integer not null,
  unsubscribes integer not null,
  complaints integer not null,
  -- refused at the handoff, or returned later
  bounces integer not null,
  -- attributed orders
  orders integer not null,
  primary key (account_id, message_id, mailbox, band),
  foreign key (account_id, message_id) references sealed_campaigns (account_id, message_id)
    on delete cascade
);
select sendloom_distribute('send_cells');

-- The forecast of a campaign as of its start, and the counts that it is compared with once sealed.
create table forecasts (
  account_id bigint not null references accounts (id) on delete cascade,
  -- the lead
  message_id bigint not null,
  as_of timestamptz not null,
  forecast jsonb not null,
  truth jsonb,
  truth_at timestamptz,
  primary key (account_id, message_id)
);
select sendloom_distribute('forecasts');
