-- The start of the plan's first period, from which months are counted, so that a plan bought on the 31st returns to
-- the 31st after a short month. Null: the start of the current period. A plan starts with the last order that was paid
-- at the checkout; later periods are renewals.
alter table subscriptions add anchor_at timestamptz;

update subscriptions s set anchor_at = o.first_start
  from (
    select account_id, max(period_start) as first_start from plan_orders
    where kind = 'plan' and origin = 'checkout' and state in ('paid', 'refunded')
    group by account_id
  ) o
  where o.account_id = s.account_id;
