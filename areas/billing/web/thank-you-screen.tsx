// After a payment: the purchase, its invoice, and links.
import { Anchor, Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import classes from './billing.module.css';
import { api, units } from './queries.ts';
import { WhereSold } from './where-sold.tsx';

export default function ThankYouScreen() {
  return (
    <WhereSold>
      <ThankYou />
    </WhereSold>
  );
}

function ThankYou() {
  const t = useTexts('billing');
  const { order: id } = useParams({ strict: false }) as { order?: string };
  return (
    <Page title={t('thanks.title')} width="reading">
      <div className={classes.centre}>
        {id === undefined ? <p>{t('thanks.text')}</p> : <Bought id={id} />}
        <Group gap="xs">
          <Button component={Link} to="/">
            {t('thanks.home')}
          </Button>
          <Button component={Link} to="/settings/billing" variant="default">
            {t('thanks.billing')}
          </Button>
        </Group>
      </div>
    </Page>
  );
}

function Bought({ id }: { id: string }) {
  const t = useTexts('billing');
  const { date, money } = useFormats();
  const order = useQuery(api.query('GET /client-api/api/orders/{id}', { params: { id } }));
  const invoices = useQuery(api.query('GET /client-api/api/invoices', { query: { limit: '100' } }));
  if (order.isError && !order.data) {
    return <FailedState error={order.error} retry={() => void order.refetch()} />;
  }
  if (!order.data) return <LoadingState rows={3} />;
  const { data } = order.data;
  if (data.state !== 'paid') return <p>{t('thanks.notPaid')}</p>;
  const amount = money(units(data.total), data.currency.toUpperCase());
  const invoice = invoices.data?.data.find((one) => one.order_id === data.id);
  return (
    <>
      <p>
        {data.kind === 'plan' && data.valid_to
          ? t('thanks.plan', {
              plan: data.lines[0]?.title ?? '',
              date: date(data.valid_to),
              amount,
            })
          : t('thanks.credit', { amount })}
      </p>
      {data.valid_from && data.valid_to && (
        <p>
          {t('thanks.period', { from: date(data.valid_from), to: date(data.valid_to) })}{' '}
          {t('thanks.renews', { date: date(data.valid_to) })}
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
