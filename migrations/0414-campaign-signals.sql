-- Spam rates of campaigns at Gmail by day, from Postmaster Tools: the campaign is named in Feedback-ID.
create table campaign_signals (
  account_id bigint not null references accounts (id) on delete cascade,
  message_id bigint not null,
  day date not null,
  spam_rate double precision not null,
  primary key (account_id, message_id, day)
);
select sendloom_distribute('campaign_signals');
