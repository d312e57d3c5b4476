// Order states that the product does not know: the user chooses a meaning for each. Orders in a
// state without a meaning do not count.
import { Alert, NativeSelect, Stack, Text } from '@mantine/core';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { ConnectedStore } from '../contract.ts';
import { ORDER_MEANINGS, type OrderMeaning } from '../order-meanings.ts';
import { api, LIST_PATH } from './queries.ts';

export function OrderStates({ store }: { store: ConnectedStore }) {
  const t = useTexts('stores');
  const { number } = useFormats();
  const choose = useAction(
    (choice: { state: string; meaning: OrderMeaning }) =>
      api('PATCH /client-api/api/connected-stores/{id}', {
        params: { id: store.id },
        body: { order_states: [choice] },
      }),
    { invalidates: [LIST_PATH], onDone: () => toast(t('saved')) },
  );
  const { order_states: states } = store;
  if (states.length === 0) return null;
  const isWaiting = states.some(({ meaning }) => meaning === null);
  const meanings = ORDER_MEANINGS.map((value) => ({
    value,
    label: t(`orderStates.meanings.${value}`),
  }));
  return (
    <Alert
      color={isWaiting ? 'warning' : 'gray'}
      role="status"
      title={t(isWaiting ? 'orderStates.waiting' : 'orderStates.chosen')}
    >
      <Stack gap="sm">
        {isWaiting && <Text size="sm">{t('orderStates.text')}</Text>}
        {states.map(({ state, orders, meaning }) => (
          <NativeSelect
            key={state}
            label={<bdi>{state}</bdi>}
            description={t('orderStates.orders', { count: orders, number: number(orders) })}
            disabled={choose.isPending}
            value={meaning ?? ''}
            data={[
              ...(meaning === null ? [{ value: '', label: t('orderStates.choose') }] : []),
              ...meanings,
            ]}
            onChange={({ currentTarget: { value } }) =>
              choose.mutate({ state, meaning: value as OrderMeaning })
            }
          />
        ))}
      </Stack>
    </Alert>
  );
}
