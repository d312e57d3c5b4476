// After a payment: the purchase, its invoice, and links.
import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type Order, OrderOutcome } from './order-outcome.tsx';
import { api, toMajorUnits } from './queries.ts';

export default function ThankYouScreen() {
  const t = useTexts('billing');
  return (
    <OrderOutcome
      title={t('thanks.title')}
      text={t('thanks.text')}
      renderOrder={(order) => <PurchaseSummary order={order} />}
      next={() => (
        <Button component={Link} to="/">
          {t('thanks.home')}
        </Button>
      )}
    />
  );
}

function PurchaseSummary({ order }: { order: Order }) {
  const t = useTexts('billing');
  const { date, money } = useFormats();
  const invoices = useQuery(api.query('GET /client-api/api/invoices', { query: { limit: '100' } }));
  if (order.state !== 'paid') return <p>{t('thanks.notPaid')}</p>;
  const amount = money(toMajorUnits(order.total), order.currency.toUpperCase());
  const invoice = invoices.data?.data.find((row) => row.order_id === order.id);
  return (
    <>
      <p>
        {order.kind === 'plan' && order.valid_to
          ? t('thanks.plan', {
              plan: order.lines[0]?.title ?? '',
              date: date(order.valid_to),
              amount,
            })
          : t('thanks.credit', { amount })}
      </p>
      {order.valid_from && order.valid_to && (
        <p>
          {t('thanks.period', { from: date(order.valid_from), to: date(order.valid_to) })}{' '}
          {t('thanks.renews', { date: date(order.valid_to) })}
        </p>
      )}
      {invoice && (
        <Anchor href={`/client-api/api/invoices/${invoice.id}/pdf`} download>
          {t('thanks.invoice', { number: invoice.number })}
        </Anchor>
      )}
    </>
  );
}
