// Attributes the demo's orders to emails and SMS by the product's rule: the last click within its
// window, otherwise the last open.
import { WINDOW_HOURS } from '#areas/reports/shared.ts';
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';

/**
 * Finds the event for each order by subscriber. The product's own statement, designed for the few
 * orders of one webhook, took minutes for two years of orders.
 */
export async function attributeToEvents(tx: Tx, accountId: number): Promise<void> {
  const windowStart = (hours: number) => sql`o.placed_at - make_interval(hours => ${hours}::int)`;
  await sql`
    update attributions a set message_id = t.message_id, touch = t.touch, touch_at = t.at
    from orders o cross join lateral (
      select e.message_id, e.at, case when e.is_sms then 'sms_click' when e.kind = 'click' then 'email_click'
        else 'email_open' end as touch
      from events e join messages m on m.account_id = ${accountId} and m.id = e.message_id
        and m.kind in ('campaign', 'workflow', 'sms_campaign')
      where e.account_id = ${accountId} and e.subscriber_id = o.subscriber_id and e.verdict = 'human'
        and e.at <= o.placed_at
        and (e.kind = 'click' and e.at >= case when e.is_sms then ${windowStart(WINDOW_HOURS.sms_click)}
            else ${windowStart(WINDOW_HOURS.email_click)} end
          or e.kind = 'open' and e.at >= ${windowStart(WINDOW_HOURS.email_open)})
        and e.at >= ${windowStart(Math.max(...Object.values(WINDOW_HOURS)))}
      order by e.kind = 'click' desc, e.at desc, e.message_id desc limit 1) t
    where a.account_id = ${accountId} and o.account_id = ${accountId} and o.id = a.order_id
      and a.entry = 'order'`.execute(tx);
}
