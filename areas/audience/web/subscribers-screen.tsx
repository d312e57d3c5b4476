// The list of subscribers: search, filter, sort, selection, and bulk actions.
import { Button, Group } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconUpload, IconUserPlus, IconUsers } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { LIST_PREFERENCES } from '#platform/list-preferences.ts';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { flag, text } from '#platform/web/api/address.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Address } from '#platform/web/ui/address.tsx';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { Subscriber } from '../contract.ts';
import { BulkBar } from './bulk-bar.tsx';
import { useColumns } from './columns.tsx';
import { Filters } from './filters.tsx';
import { api, subscriberPath } from './queries.ts';
import { useSubscriberSelection } from './selection.ts';
import { Status } from './status.tsx';
import { Views } from './views.tsx';
import classes from './subscribers-screen.module.css';

const AddSubscriber = lazyWithRetry(() => import('./add-subscriber.tsx'));

const SORTS = ['created', 'title', 'modified'] as const;
const EXTRA_PARAMETERS = { filter: text(), add: flag() };

export const getName = (subscriber: Pick<Subscriber, 'email' | 'phone' | 'id'>) =>
  toUnicodeDomain(subscriber.email ?? subscriber.phone ?? subscriber.id);

export default function SubscribersScreen() {
  const t = useTexts('audience');
  const list = useSubscriberList();
  const { filter, search, add } = list.values;
  const { columns, chooser, chosenIds, setChosenIds, isEngagementShown } = useColumns();
  const subscribers = useSubscribers(list, isEngagementShown);
  const total = subscribers.data?.meta?.total ?? 0;
  const selection = useSubscriberSelection({ filter, search }, total);
  const addressColumn = useAddressColumn(chosenIds.includes('status'));
  const [isBuilding, setBuilding] = useState(false);
  const bulk = selection.count > 0 ? <BulkBar selection={selection} total={total} /> : undefined;
  const setAdd = (isOpen: boolean) => list.set({ add: isOpen, page: list.values.page });
  return (
    <Page title={t('title')} actions={<AddButtons openForm={() => setAdd(true)} />}>
      <DataTable
        label={t('title')}
        query={subscribers}
        list={list}
        rowId={(subscriber) => subscriber.id}
        getRowName={getName}
        getRowLink={(subscriber) => subscriberPath(subscriber.id)}
        search={t('find')}
        columns={[addressColumn, ...columns]}
        selection={{
          ids: selection.isAll
            ? new Set(subscribers.data?.data.map((row) => row.id))
            : selection.ids,
          onChange: selection.selectIds,
        }}
        // The bulk bar would replace the filters, and the open builder would lose its incomplete
        // conditions.
        bulkActions={isBuilding ? undefined : bulk}
        filters={
          <>
            <Filters
              filter={filter}
              onChange={(next, isWriting = false) =>
                list.set({ filter: next }, { replace: isWriting })
              }
              isOpen={isBuilding}
              setOpen={setBuilding}
              trailing={
                <>
                  {chooser}
                  <Views list={list} columns={chosenIds} setColumns={setChosenIds} />
                </>
              }
            />
            {isBuilding && bulk}
          </>
        }
        empty={<NoSubscribers openForm={() => setAdd(true)} />}
      />
      {add && (
        <Suspense>
          <AddSubscriber onClose={() => setAdd(false)} />
        </Suspense>
      )}
    </Page>
  );
}

const useSubscriberList = () =>
  useListAddress({ sorts: SORTS, direction: 'desc', more: EXTRA_PARAMETERS });

function useSubscribers(list: ReturnType<typeof useSubscriberList>, isEngagementShown: boolean) {
  const { filter } = list.values;
  useStoredPreferences(list.query.limit, isEngagementShown);
  return useQuery({
    ...api.query('GET /client-api/api/subscribers', {
      query: {
        ...list.query,
        ...(filter ? { filter } : {}),
        ...(isEngagementShown ? { engagement: 'true' as const } : {}),
      },
    }),
    placeholderData: keepPreviousData,
  });
}

const YEAR_SECONDS = 31_536_000;

/**
 * Stores the page size, and whether engagement is shown, in a cookie. When the screen is opened
 * again, the server embeds the data of the same list in the HTML.
 */
function useStoredPreferences(limit: number | undefined, isEngagementShown: boolean): void {
  useEffect(() => {
    const preferences = new URLSearchParams({
      ...(limit === undefined ? {} : { limit: String(limit) }),
      ...(isEngagementShown ? { engagement: 'true' } : {}),
    }).toString();
    const age = preferences === '' ? 0 : YEAR_SECONDS;
    document.cookie = `${LIST_PREFERENCES}=${encodeURIComponent(preferences)}; path=/subscribers; max-age=${age}; samesite=lax`;
  }, [limit, isEngagementShown]);
}

function AddButtons({ openForm }: { openForm: () => void }) {
  const t = useTexts('audience');
  return (
    <Group gap="xs">
      <ImportButton />
      <Button leftSection={<IconUserPlus size={18} stroke={1.75} />} onClick={openForm}>
        {t('add.action')}
      </Button>
    </Group>
  );
}

function useAddressColumn(hasStatus: boolean): TableColumn<Subscriber> {
  const t = useTexts('audience');
  const isNarrow = useMediaQuery('(max-width: 640px)', false, { getInitialValueInEffect: false });
  return {
    id: 'subscriber',
    header: t('columns.subscriber'),
    sort: 'title',
    cell: (subscriber) => (
      <>
        <Address className={classes.name} value={getName(subscriber)} />
        <SecondLine subscriber={subscriber} hasStatus={isNarrow && hasStatus} />
      </>
    ),
  };
}

/** Shown on phones instead of the columns that do not fit. */
function SecondLine(props: { subscriber: Subscriber; hasStatus: boolean }) {
  const { subscriber, hasStatus } = props;
  const { firstname, lastname, subscriber_tags: groups } = subscriber;
  const name = [firstname, lastname].filter(Boolean).join(' ');
  const details = [name, ...groups.map(({ title }) => title)].filter(Boolean);
  if (details.length === 0 && !hasStatus) return null;
  return (
    <span className={classes.second}>
      {hasStatus && <Status status={subscriber.status.email} />}
      {details.map((detail, i) => (
        // The order of a subscriber's name and groups is fixed.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={i}>
          <bdi>{detail}</bdi>
        </span>
      ))}
    </span>
  );
}

function NoSubscribers({ openForm }: { openForm: () => void }) {
  const t = useTexts('audience');
  return (
    <EmptyState
      icon={IconUsers}
      title={t('empty.title')}
      action={
        <Group gap="xs" justify="center">
          <ImportButton isPrimary />
          <Button variant="default" onClick={openForm}>
            {t('empty.add')}
          </Button>
        </Group>
      }
    >
      {t('empty.text')}
    </EmptyState>
  );
}

function ImportButton({ isPrimary = false }: { isPrimary?: boolean }) {
  const t = useTexts('audience');
  return (
    <Button
      component={Link}
      to="/subscribers/import/file"
      variant={isPrimary ? 'filled' : 'default'}
      leftSection={<IconUpload size={18} stroke={1.75} />}
    >
      {t('import')}
    </Button>
  );
}
