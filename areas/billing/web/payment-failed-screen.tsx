// A failed payment: its reason, and the link to retry.
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import classes from './billing.module.css';
import { api } from './queries.ts';
import { useFailureText } from './failure.ts';
import { WhereSold } from './where-sold.tsx';

export default function PaymentFailedScreen() {
  return (
    <WhereSold>
      <PaymentFailed />
    </WhereSold>
  );
}

function PaymentFailed() {
  const t = useTexts('billing');
  const { order: id } = useParams({ strict: false }) as { order?: string };
  return (
    <Page title={t('failed.title')} width="reading">
      <div className={classes.centre}>
        {id === undefined ? <p>{t('failed.text')}</p> : <Why id={id} />}
        <Group gap="xs">
          {id === undefined ? (
            <Button component={Link} to="/settings/billing/upgrade">
              {t('failed.again')}
            </Button>
          ) : (
            <Button component={Link} to="/checkout/$order" params={{ order: id } as never}>
              {t('failed.again')}
            </Button>
          )}
          <Button component={Link} to="/settings/billing" variant="default">
            {t('thanks.billing')}
          </Button>
        </Group>
      </div>
    </Page>
  );
}

function Why({ id }: { id: string }) {
  const failureText = useFailureText();
  const order = useQuery(api.query('GET /client-api/api/orders/{id}', { params: { id } }));
  if (order.isError && !order.data) {
    return <FailedState error={order.error} retry={() => void order.refetch()} />;
  }
  if (!order.data) return <LoadingState rows={2} />;
  return <p>{failureText(order.data.data.failure)}</p>;
}
