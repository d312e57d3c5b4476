-- By mailbox provider: how many deferred emails waited how long for their final result, in the ranges of
-- deliverability/server/forecast/retries.ts. Null: unknown, since the campaign's results were compacted, or it was
-- sealed before.
alter table sealed_campaigns add waits jsonb;

-- The end of a campaign is an interval, and is compared with the real one. A cluster refuses jsonb_build_object over a
-- column in an update, hence the CTE.
with extended as materialized (
  select account_id, message_id,
    forecast || jsonb_build_object('done', null, 'mailboxes',
      (select coalesce(jsonb_agg(m || '{"done": null}' order by place), '[]')
        from jsonb_array_elements(forecast -> 'mailboxes') with ordinality e(m, place))) as forecast,
    truth || '{"done": null}' as truth
  from forecasts
)
update forecasts f set forecast = e.forecast, truth = e.truth
  from extended e where f.account_id = e.account_id and f.message_id = e.message_id;
