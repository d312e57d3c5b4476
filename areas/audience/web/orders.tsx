// What a subscriber ordered in connected stores; nothing stands here where there was no order.
import { useQuery } from '@tanstack/react-query';
import type { calls, Order } from '#areas/stores/contract.ts';
import { client } from '#platform/web/api.ts';
import { useFormats } from '#platform/web/formats.ts';
import { useTexts } from '#platform/web/texts.ts';
import classes from './subscriber-screen.module.css';

const api = client<typeof calls>();

export function Orders({ id }: { id: string }) {
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
      <ul className={classes.consents}>
        {list.map((order) => (
          <OrderLine key={`${order.store}${order.number}`} order={order} />
        ))}
      </ul>
    </section>
  );
}

/** Keeps its own direction inside a sentence of another. */
const isolated = (text: string) => `\u2068${text}\u2069`;

function OrderLine({ order }: { order: Order }) {
  const t = useTexts('audience');
  const { date, dateTime, number, money } = useFormats();
  const { currency, total } = order;
  const products = order.products.map(({ title, quantity }) =>
    quantity > 1 ? t('orders.several', { quantity, title: isolated(title) }) : isolated(title),
  );
  return (
    <li className={classes.consent}>
      <span className={classes.order}>
        <span>{t('orders.number', { number: isolated(order.number) })}</span>
        <strong>{/^[A-Z]{3}$/.test(currency) ? money(total, currency) : number(total)}</strong>
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
