-- By mailbox provider: how many deferred emails waited how long for their final result, in the ranges of
-- deliverability/server/forecast/retries.ts. Null: unknown, since the campaign's results were compacted, or it was
-- sealed before.
alter table sealed_campaigns add waits jsonb;

-- The end of a campaign is an interval, and is compared with the real one.
update forecasts set
  forecast = forecast || jsonb_build_object('done', null, 'mailboxes',
    (select coalesce(jsonb_agg(m || '{"done": null}' order by place), '[]')
      from jsonb_array_elements(forecast -> 'mailboxes') with ordinality e(m, place))),
  truth = truth || '{"done": null}';
