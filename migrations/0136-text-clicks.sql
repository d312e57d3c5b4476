-- Of each person the first click and the last on a link of a text, by a person and not by a program that looks ahead:
-- what conditions ask of clicks in SMS. Clicks in emails stand in `activity`, which texts never enter.
create table text_clicks (
  account_id bigint not null,
  subscriber_id bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (account_id, subscriber_id)
) with (fillfactor = 80);
select sendloom_distribute('text_clicks');

insert into text_clicks (account_id, subscriber_id, first_at, last_at)
select account_id, subscriber_id, min(at), max(at) from events
where is_text and kind = 'click' and verdict = 'human' and subscriber_id > 0
group by account_id, subscriber_id;
