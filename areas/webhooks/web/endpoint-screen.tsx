// The page of a webhook: its past and pending deliveries, and the body and response of each
// attempt.
import { Button, SegmentedControl, Text } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { parseOneOf } from '#platform/web/api/address.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { TestToolNote } from '#platform/web/ui/test-tools.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { WebhookDelivery, Endpoint } from '../contract.ts';
import { EndpointStatus, useTest } from './endpoint-actions.tsx';
import { api, LIST_PATH, SCREEN } from './queries.ts';

const Attempts = lazyWithRetry(() => import('./attempts.tsx'));
const ResendSpan = lazyWithRetry(() => import('./resend-span.tsx'));

const SORTS = ['created'] as const;
const STATES = ['all', 'due', 'delivered', 'failed'] as const;
const addressParameters = { state: parseOneOf(STATES, 'all') };
const TONES = { due: 'active', delivered: 'success', failed: 'danger' } as const;

export default function EndpointScreen() {
  const id = useParam('endpoint');
  const endpoint = useQuery(api.query('GET /client-api/api/webhooks/{id}', { params: { id } }));
  if (endpoint.isLoadingError)
    return <FailedState isPage error={endpoint.error} retry={() => void endpoint.refetch()} />;
  if (!endpoint.data) return <LoadingState rows={8} />;
  return <Deliveries endpoint={endpoint.data.data} />;
}

function Deliveries({ endpoint }: { endpoint: Endpoint }) {
  const t = useTexts('webhooks');
  const { dateTime } = useFormats();
  const columns = useColumns();
  const { id } = endpoint;
  const list = useListAddress({ sorts: SORTS, direction: 'desc', more: addressParameters });
  const { state } = list.values;
  const deliveries = useQuery({
    ...api.query('GET /client-api/api/webhooks/{id}/deliveries', {
      params: { id },
      query: { ...list.query, ...(state === 'all' ? {} : { state }) },
    }),
    placeholderData: keepPreviousData,
    refetchInterval: 3_000,
  });
  const [opened, setOpened] = useState<WebhookDelivery>();
  const [isResendOpen, setResendOpen] = useState(false);
  const test = useTest();
  const resend = useResend(id);
  const title = t(`topics.${endpoint.topic}`);
  return (
    <Page
      title={endpoint.group_title === null ? title : `${title}: ${endpoint.group_title}`}
      description={<bdi dir="ltr">{endpoint.url}</bdi>}
      status={<EndpointStatus endpoint={endpoint} />}
      back={{ to: SCREEN, label: t('title') }}
      actions={
        <>
          <Button variant="default" onClick={() => setResendOpen(true)}>
            {t('acts.resend')}
          </Button>
          <Button onClick={() => test.mutate(endpoint)}>{t('acts.test')}</Button>
        </>
      }
    >
      <TestToolNote tool="hooks" />
      <DataTable<WebhookDelivery>
        label={t('deliveries')}
        query={deliveries}
        list={list}
        rowId={(delivery) => delivery.id}
        getRowName={(delivery) => dateTime(delivery.created)}
        onOpen={setOpened}
        filters={<StateFilter value={state} onChange={(value) => list.set({ state: value })} />}
        columns={columns}
        actions={[
          { label: t('acts.attempts'), run: setOpened },
          { label: t('acts.resendOne'), run: (delivery) => resend.mutate(delivery) },
        ]}
        empty={<NoDeliveries />}
      />
      <Suspense fallback={null}>
        {opened && <Attempts endpoint={id} delivery={opened} close={() => setOpened(undefined)} />}
        {isResendOpen && <ResendSpan endpoint={id} close={() => setResendOpen(false)} />}
      </Suspense>
    </Page>
  );
}

function NoDeliveries() {
  const t = useTexts('webhooks');
  return (
    <EmptyState icon={IconWebhook} title={t('noDeliveries.title')}>
      {t('noDeliveries.text')}
    </EmptyState>
  );
}

function useResend(id: string) {
  const t = useTexts('webhooks');
  return useAction(
    (delivery: WebhookDelivery) =>
      api('POST /client-api/api/webhooks/{id}/deliveries/{delivery}/resend', {
        params: { id, delivery: delivery.id },
      }),
    { invalidates: [LIST_PATH], onDone: () => toast(t('resent', { count: 1 })) },
  );
}

type StateChoice = (typeof STATES)[number];
interface StateFilterProps {
  value: StateChoice;
  onChange: (value: StateChoice) => void;
}

function StateFilter({ value: state, onChange }: StateFilterProps) {
  const t = useTexts('webhooks');
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('columns.status')}
      value={state}
      onChange={(value) => onChange(addressParameters.state.read(value))}
      data={STATES.map((value) => ({ value, label: t(`states.${value}`) }))}
    />
  );
}

function useColumns(): TableColumn<WebhookDelivery>[] {
  const t = useTexts('webhooks');
  const { dateTime, number } = useFormats();
  return [
    {
      id: 'created',
      header: t('columns.at'),
      cell: (delivery) => (
        <>
          <time dateTime={delivery.created}>{dateTime(delivery.created)}</time>
          {delivery.is_test && (
            <Text size="xs" c="dimmed">
              {t('isTest')}
            </Text>
          )}
        </>
      ),
    },
    {
      id: 'state',
      header: t('columns.status'),
      width: 150,
      cell: (delivery) => (
        <StatusDot tone={TONES[delivery.state]} label={t(`states.${delivery.state}`)} />
      ),
    },
    {
      id: 'answer',
      header: t('columns.answer'),
      align: 'end',
      width: 110,
      cell: (delivery) => delivery.status ?? '–',
    },
    {
      id: 'attempts',
      header: t('columns.attempts'),
      align: 'end',
      isWide: true,
      width: 110,
      cell: (delivery) => number(delivery.attempts),
    },
    {
      id: 'next',
      header: t('columns.next'),
      align: 'end',
      isWide: true,
      width: 190,
      cell: (delivery) => (delivery.state === 'due' ? dateTime(delivery.next_at) : '–'),
    },
  ];
}
