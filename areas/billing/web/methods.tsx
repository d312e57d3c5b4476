// The stored cards: the user chooses the card for renewals and can remove cards.
import { Badge, Button, Group } from '@mantine/core';
import { IconCreditCard } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { PaymentMethod } from '../contract.ts';
import classes from './billing.module.css';
import { api, METHODS } from './queries.ts';

export function Methods() {
  const t = useTexts('billing');
  const methods = useQuery(api.query('GET /client-api/api/payment-methods'));
  if (methods.isError && !methods.data) {
    return <FailedState error={methods.error} retry={() => void methods.refetch()} />;
  }
  if (!methods.data) return <LoadingState rows={2} />;
  if (methods.data.data.length === 0) {
    return (
      <EmptyState icon={IconCreditCard} title={t('methods.empty')}>
        {t('methods.emptyText')}
      </EmptyState>
    );
  }
  return (
    <ul className={classes.methods} aria-label={t('tabs.methods')}>
      {methods.data.data.map((method) => (
        <Method key={method.id} method={method} />
      ))}
    </ul>
  );
}

function Method({ method }: { method: PaymentMethod }) {
  const t = useTexts('billing');
  const { number } = useFormats();
  const name = `${method.brand} •••• ${method.last4}`;
  const params = { id: method.id };
  const choose = useAction(
    () => api('PATCH /client-api/api/payment-methods/{id}', { params, body: { is_default: true } }),
    { invalidates: [METHODS] },
  );
  const removal = useAction(() => api('DELETE /client-api/api/payment-methods/{id}', { params }), {
    invalidates: [METHODS],
  });
  const remove = async () => {
    await confirm({
      title: t('methods.removeTitle', { name }),
      message: t('methods.removeText'),
      confirm: t('methods.remove'),
      isDanger: true,
      run: () => removal.mutateAsync(undefined),
    });
  };
  const twoDigits = (value: number) => number(value).padStart(2, number(0));
  return (
    <li>
      <span className={classes.method}>
        <IconCreditCard size={20} stroke={1.75} aria-hidden="true" />
        <bdi dir="ltr">{name}</bdi>
        <span className={classes.muted}>
          {t(method.is_expired ? 'methods.expired' : 'methods.expires', {
            date: `${twoDigits(method.exp_month)}/${twoDigits(method.exp_year % 100)}`,
          })}
        </span>
        {method.is_default && <Badge variant="light">{t('methods.default')}</Badge>}
      </span>
      <Group gap="xs">
        {!method.is_default && (
          <Button
            variant="default"
            size="xs"
            loading={choose.isPending}
            onClick={() => choose.mutate(undefined)}
          >
            {t('methods.use')}
          </Button>
        )}
        <Button variant="default" size="xs" onClick={() => void remove()}>
          {t('methods.remove')}
        </Button>
      </Group>
    </li>
  );
}
