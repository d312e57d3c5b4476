// Connected stores: state, imported data, actions.
import { Button, Stack } from '@mantine/core';
import { IconBuildingStore, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { ConnectedStore } from '../contract.ts';
import { api } from './queries.ts';
import { StoreCard } from './store-card.tsx';
import { useStoreTabs } from './tabs.ts';

const ConnectStore = lazyWithRetry(() => import('./connect-store.tsx'));
const StoreSettings = lazyWithRetry(() => import('./store-settings.tsx'));
const DisconnectStore = lazyWithRetry(() => import('./disconnect-store.tsx'));

/** Refetch interval during a first import, because its counts change. */
const REFRESH_MS = 2500;

type Dialog =
  | { kind: 'connect' }
  | { kind: 'settings' | 'disconnect'; store: ConnectedStore }
  | undefined;

export default function StoresScreen() {
  const t = useTexts('stores');
  const stores = useQuery({
    ...api.query('GET /client-api/api/connected-stores', {}),
    refetchInterval: ({ state }) =>
      state.data?.data.some((row) => row.state === 'connecting') ? REFRESH_MS : false,
  });
  const tabs = useStoreTabs();
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  if (stores.isLoadingError)
    return (
      <Page title={t('title')} description={t('description')}>
        <FailedState error={stores.error} retry={() => void stores.refetch()} />
      </Page>
    );
  const list = stores.data?.data;
  const connect = (
    <Button
      leftSection={<IconPlus size={18} stroke={1.75} />}
      onClick={() => setDialog({ kind: 'connect' })}
    >
      {t('connect')}
    </Button>
  );
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={list?.length ? connect : undefined}
      tabs={list?.length ? tabs : undefined}
    >
      <Stack gap="md">
        {list === undefined && <LoadingState rows={2} height={180} />}
        {list?.length === 0 && (
          <EmptyState icon={IconBuildingStore} title={t('empty.title')} action={connect}>
            {t('empty.text')}
          </EmptyState>
        )}
        {list?.map((store) => (
          <StoreCard
            key={store.id}
            store={store}
            openSettings={() => setDialog({ kind: 'settings', store })}
            openDisconnect={() => setDialog({ kind: 'disconnect', store })}
          />
        ))}
      </Stack>
      <Suspense fallback={null}>
        {dialog?.kind === 'connect' && <ConnectStore close={close} />}
        {dialog?.kind === 'settings' && <StoreSettings store={dialog.store} close={close} />}
        {dialog?.kind === 'disconnect' && <DisconnectStore store={dialog.store} close={close} />}
      </Suspense>
    </Page>
  );
}
