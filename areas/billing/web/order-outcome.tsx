// The screen after a payment: the outcome of the order named in the URL, if any, and a link to the
// next screen.
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import classes from './billing.module.css';
import { api } from './queries.ts';
import { WhereSold } from './purchase-guard.tsx';

const useOrder = (id: string) =>
  useQuery(api.query('GET /client-api/api/orders/{id}', { params: { id } }));

export type Order = NonNullable<ReturnType<typeof useOrder>['data']>['data'];

type OrderOutcomePage = {
  title: string;
  /** Shown if the URL names no order. */
  text: string;
  renderOrder: (order: Order) => ReactNode;
  /** The main button. */
  next: (orderId: string | undefined) => ReactNode;
};

export function OrderOutcome({ title, text, renderOrder, next }: OrderOutcomePage) {
  const t = useTexts('billing');
  const { order: id } = useParams({ strict: false }) as { order?: string };
  return (
    <WhereSold>
      <Page title={title} width="reading">
        <div className={classes.centre}>
          {id === undefined ? <p>{text}</p> : <LoadedOrder id={id} renderOrder={renderOrder} />}
          <Group gap="xs">
            {next(id)}
            <Button component={Link} to="/settings/billing" variant="default">
              {t('thanks.billing')}
            </Button>
          </Group>
        </div>
      </Page>
    </WhereSold>
  );
}

function LoadedOrder({
  id,
  renderOrder,
}: {
  id: string;
  renderOrder: OrderOutcomePage['renderOrder'];
}) {
  const order = useOrder(id);
  if (order.isError && !order.data) {
    return <FailedState error={order.error} retry={() => void order.refetch()} />;
  }
  return order.data ? renderOrder(order.data.data) : <LoadingState rows={3} />;
}
