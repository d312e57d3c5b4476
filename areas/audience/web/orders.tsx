// A subscriber's orders in connected stores; renders nothing if there are none.
import { useQuery } from '@tanstack/react-query';
import type { calls, ListedOrder } from '#areas/stores/contract.ts';
import { useAmount } from '#platform/web/texts/amount.ts';
import { client } from '#platform/web/api/api.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SubscriberDetails } from '../contract.ts';
import classes from './subscriber-screen.module.css';

const api = client<typeof calls>();

export function Orders({ subscriber: { id, worth } }: { subscriber: SubscriberDetails }) {
  const t = useTexts('audience');
  const orders = useQuery({
    ...api.query('GET /client-api/api/subscribers/{id}/orders', { params: { id } }),
    meta: { notFound: 'inline' },
  });
  const list = orders.data?.data ?? [];
  if (list.length === 0) return null;
  return (
    <section className={classes.panel} aria-labelledby="orders">
      <h2 className={classes.heading} id="orders">
        {t('orders.title')}
      </h2>
      {worth && <Worth worth={worth} />}
      <ul className={classes.consents}>
        {list.map((order) => (
          <OrderLine key={`${order.store}${order.number}`} order={order} />
        ))}
      </ul>
    </section>
  );
}

function Worth({ worth }: { worth: NonNullable<SubscriberDetails['worth']> }) {
  const t = useTexts('audience');
  const { date, list } = useFormats();
  const amount = useAmount();
  return (
    <dl className={classes.rows}>
      <div className={classes.row}>
        <dt>{t('orders.worth')}</dt>
        <dd>{list(worth.currencies.map(({ revenue, currency }) => amount(revenue, currency)))}</dd>
      </div>
      <div className={classes.row}>
        <dt>{t('orders.last')}</dt>
        <dd>{date(worth.last_order)}</dd>
      </div>
    </dl>
  );
}

/** Isolates an order number or title, so that it keeps its own text direction inside a sentence. */
const isolateText = (text: string) => `\u2068${text}\u2069`;

function OrderLine({ order }: { order: ListedOrder }) {
  const t = useTexts('audience');
  const { date, dateTime } = useFormats();
  const amount = useAmount();
  const products = order.products.map(({ title, quantity }) =>
    quantity > 1
      ? t('orders.several', { quantity, title: isolateText(title) })
      : isolateText(title),
  );
  return (
    <li className={classes.consent}>
      <span className={classes.order}>
        <span>{t('orders.number', { number: isolateText(order.number) })}</span>
        <strong>{amount(order.total, order.currency)}</strong>
      </span>
      {products.length > 0 && <p>{products.join(', ')}</p>}
      <p className={classes.orderFacts}>
        <time dateTime={order.placed} title={dateTime(order.placed)}>
          {date(order.placed)}
        </time>
        {' · '}
        <bdi>{order.store}</bdi>
        {order.state !== 'placed' && ` · ${t(`orders.${order.state}`)}`}
      </p>
    </li>
  );
}
