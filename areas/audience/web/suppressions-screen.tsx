// The suppression list: addresses, reasons and dates, and the removal of entries that the account
// may remove.
import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { IconMailOff, IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import {
  CHANNELS,
  type Channel,
  mayBeLifted,
  SUPPRESSION_REASONS,
  type SuppressionReason,
} from '#areas/subscribers/shared.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { parseOneOf } from '#platform/web/api/address.ts';
import { client } from '#platform/web/api/api.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { SuppressionListItem, suppressionCalls } from '../suppressions-contract.ts';
import { subscriberPath, SUBSCRIBER_QUERIES } from './queries.ts';
import classes from './suppressions.module.css';
import { useWasOpened } from '#platform/web/hooks/use-was-opened.ts';

const AddSuppressions = lazyWithRetry(() => import('./add-suppressions.tsx'));

const api = client<typeof suppressionCalls>();
const LIST_PATH = '/client-api/api/suppressions';
const SORTS = ['created'] as const;
const REASONS = ['all', ...SUPPRESSION_REASONS] as const;
const PARAMETERS = { channel: parseOneOf(CHANNELS, 'email'), reason: parseOneOf(REASONS, 'all') };
const TRANSACTIONAL_PARAMETERS = { ...PARAMETERS, channel: parseOneOf(CHANNELS, 'temail') };

interface SuppressionListProps {
  /** The list's parameters; the tab of transactional emails defaults to their channel. */
  extraParameters: typeof PARAMETERS;
  tabs?: { to: string; label: string }[];
  title: string;
}

export default function SuppressionsScreen() {
  const t = useTexts('audience');
  return <SuppressionList extraParameters={PARAMETERS} title={t('suppressions.title')} />;
}

/** The same list as the second tab of transactional emails. */
export function TransactionalSuppressions({
  tabs,
  title,
}: Omit<SuppressionListProps, 'extraParameters'>) {
  return <SuppressionList extraParameters={TRANSACTIONAL_PARAMETERS} title={title} tabs={tabs} />;
}

function SuppressionList({ extraParameters, tabs, title }: SuppressionListProps) {
  const t = useTexts('audience');
  const list = useSuppressionList(extraParameters);
  const { channel, reason } = list.values;
  const query = { ...list.query, channel, ...(reason === 'all' ? {} : { reason }) };
  const rows = useQuery({
    ...api.query('GET /client-api/api/suppressions', { query }),
    placeholderData: keepPreviousData,
  });
  const { getName, lift } = useLiftSuppression(channel);
  return (
    <Page
      title={title}
      description={t('suppressions.description')}
      actions={
        <ListActions
          channel={channel}
          file={`${LIST_PATH}/export?${new URLSearchParams({
            channel,
            ...(reason !== 'all' && { reason }),
          })}`}
        />
      }
      {...(tabs && { tabs })}
    >
      <DataTable<SuppressionListItem>
        label={t('suppressions.title')}
        query={rows}
        list={list}
        rowId={(suppression) => suppression.id}
        getRowName={getName}
        getRowLink={({ subscriber }) => (subscriber ? subscriberPath(subscriber.id) : undefined)}
        search={t('suppressions.find')}
        columns={useColumns()}
        actions={[
          {
            label: t('suppressions.lift.action'),
            // Placeholder rows may belong to the previously selected channel.
            isHidden: (suppression) => rows.isPlaceholderData || !mayBeLifted(suppression.reason),
            run: (suppression) => void lift(suppression),
          },
        ]}
        filters={<Selects list={list} extraParameters={extraParameters} />}
        empty={
          <EmptyState icon={IconMailOff} title={t('suppressions.empty.title')}>
            {t('suppressions.empty.text')}
          </EmptyState>
        }
      />
    </Page>
  );
}

const useSuppressionList = (extraParameters: typeof PARAMETERS) =>
  useListAddress({ sorts: SORTS, direction: 'desc', more: extraParameters });

interface SelectsProps {
  list: ReturnType<typeof useSuppressionList>;
  extraParameters: typeof PARAMETERS;
}

/** Selects the channel and the reason that limit the list. */
function Selects({ list, extraParameters }: SelectsProps) {
  const t = useTexts('audience');
  const { channel, reason } = list.values;
  return (
    <>
      <NativeSelect
        aria-label={t('suppressions.channel')}
        value={channel}
        onChange={({ currentTarget: { value } }) =>
          list.set({ channel: extraParameters.channel.read(value) })
        }
        data={CHANNELS.map((value) => ({ value, label: t(`channels.${value}`) }))}
      />
      <NativeSelect
        aria-label={t('suppressions.reason')}
        value={reason}
        onChange={({ currentTarget: { value } }) =>
          list.set({ reason: extraParameters.reason.read(value) })
        }
        data={REASONS.map((value) => ({ value, label: t(`suppressions.reasons.${value}`) }))}
      />
    </>
  );
}

/** Removes an address from the list after confirmation. */
function useLiftSuppression(channel: Channel) {
  const t = useTexts('audience');
  const getName = (suppression: SuppressionListItem) =>
    suppression.subscriber?.address ?? t('suppressions.noSubscribers');
  const lift = async (suppression: SuppressionListItem) => {
    const isDone = await confirm({
      title: t('suppressions.lift.title'),
      message: t(`suppressions.lift.${suppression.reason === 'bounced' ? 'bounced' : 'manual'}`, {
        address: getName(suppression),
      }),
      confirm: t('suppressions.lift.confirm'),
      run: () =>
        api('DELETE /client-api/api/suppressions/{id}', {
          params: { id: suppression.id },
          body: { channel },
        }),
    });
    if (!isDone) return;
    toast(t('suppressions.lift.done'));
    await invalidate(LIST_PATH, ...SUBSCRIBER_QUERIES);
  };
  return { getName, lift };
}

/** Buttons that add addresses and download the list as a file. */
function ListActions({ channel, file }: { channel: Channel; file: string }) {
  const t = useTexts('audience');
  const [isAdding, setAdding] = useState(false);
  const wasOpened = useWasOpened(isAdding);
  return (
    <Group gap="xs">
      <Button component="a" href={file} download variant="default">
        {t('suppressions.export')}
      </Button>
      <Button leftSection={<IconPlus size={18} stroke={1.75} />} onClick={() => setAdding(true)}>
        {t('suppressions.add.action')}
      </Button>
      {wasOpened && (
        <Suspense>
          <AddSuppressions isOpen={isAdding} channel={channel} close={() => setAdding(false)} />
        </Suspense>
      )}
    </Group>
  );
}

function useColumns(): TableColumn<SuppressionListItem>[] {
  const t = useTexts('audience');
  const { date } = useFormats();
  const getReason = (reason: SuppressionReason) => t(`suppressions.reasons.${reason}`);
  const renderAddress = ({ subscriber, reason }: SuppressionListItem) => (
    <>
      {subscriber ? (
        <bdi className={classes.address}>{toUnicodeDomain(subscriber.address)}</bdi>
      ) : (
        <Text span c="dimmed" size="sm">
          {t('suppressions.noSubscribers')}
        </Text>
      )}
      <Text span c="dimmed" size="xs" className={classes.reason}>
        {getReason(reason)}
      </Text>
    </>
  );
  return [
    { id: 'address', header: t('suppressions.columns.address'), cell: renderAddress },
    {
      id: 'reason',
      header: t('suppressions.columns.reason'),
      width: 290,
      isWide: true,
      cell: ({ reason }) => getReason(reason),
    },
    {
      id: 'since',
      header: t('suppressions.columns.since'),
      sort: 'created',
      align: 'end',
      width: 130,
      isWide: true,
      cell: ({ since }) => <time dateTime={since}>{date(since)}</time>,
    },
  ];
}
