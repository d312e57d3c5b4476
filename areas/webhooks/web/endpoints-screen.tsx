// The list of webhooks, their topics and delivery health, and the signing secret.
import { Button, Stack, Text } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { Endpoint } from '../contract.ts';
import { EndpointStatus, useEndpointActions } from './endpoint-actions.tsx';
import { api, SCREEN } from './queries.ts';
import { SigningSecret } from './signing-secret.tsx';
import { useWasOpened } from '#platform/web/hooks/use-was-opened.ts';

const CreateEndpoint = lazyWithRetry(() => import('./create-endpoint.tsx'));

const SORTS = ['created', 'title'] as const;

export default function EndpointsScreen() {
  const t = useTexts('webhooks');
  const list = useListAddress({ sorts: SORTS, direction: 'desc' });
  const endpoints = useQuery({
    ...api.query('GET /client-api/api/webhooks', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  const actions = useEndpointActions();
  const [isCreating, setCreating] = useState(false);
  const wasOpened = useWasOpened(isCreating);
  const action = (
    <Button leftSection={<IconPlus size={18} stroke={1.75} />} onClick={() => setCreating(true)}>
      {t('create')}
    </Button>
  );
  return (
    <Page title={t('title')} description={t('description')} actions={action}>
      <Stack gap="xl">
        <DataTable<Endpoint>
          label={t('title')}
          query={endpoints}
          list={list}
          rowId={(endpoint) => endpoint.id}
          getRowName={(endpoint) => t(`topics.${endpoint.topic}`)}
          getRowLink={(endpoint) => `${SCREEN}/${endpoint.id}`}
          columns={useColumns()}
          actions={actions}
          empty={
            <EmptyState icon={IconWebhook} title={t('empty.title')} action={action}>
              {t('empty.text')}
            </EmptyState>
          }
        />
        <SigningSecret />
      </Stack>
      <Suspense fallback={null}>
        {wasOpened && <CreateEndpoint isOpen={isCreating} close={() => setCreating(false)} />}
      </Suspense>
    </Page>
  );
}

function useColumns(): TableColumn<Endpoint>[] {
  const t = useTexts('webhooks');
  const { number, milliseconds } = useFormats();
  return [
    {
      id: 'topic',
      header: t('columns.topic'),
      cell: (endpoint) => (
        <>
          {t(`topics.${endpoint.topic}`)}
          {endpoint.group_title !== null && (
            <>
              {': '}
              <bdi>{endpoint.group_title}</bdi>
            </>
          )}
          <Text size="xs" c="dimmed" truncate>
            <bdi dir="ltr">{endpoint.url}</bdi>
          </Text>
        </>
      ),
    },
    {
      id: 'status',
      header: t('columns.status'),
      width: 130,
      cell: (endpoint) => <EndpointStatus endpoint={endpoint} />,
    },
    {
      id: 'deliveries',
      header: t('columns.deliveries'),
      align: 'end',
      isWide: true,
      width: 130,
      cell: (endpoint) => number(endpoint.total_deliveries),
    },
    {
      id: 'failures',
      header: t('columns.failures'),
      align: 'end',
      isWide: true,
      width: 110,
      cell: (endpoint) => number(endpoint.total_failures),
    },
    {
      id: 'response',
      header: t('columns.response'),
      align: 'end',
      isWide: true,
      width: 150,
      cell: (endpoint) => milliseconds(endpoint.response_time),
    },
  ];
}
