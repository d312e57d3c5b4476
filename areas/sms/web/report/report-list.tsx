// A list of a report: subscriber, time and detail.
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { IconUsers } from '@tabler/icons-react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { DataTable } from '#platform/web/ui/data-table.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { ReportedSubscriber } from '../../contract.ts';
import { api } from '../queries.ts';

const SORTS = ['created'] as const;
type SubscriberListName = 'unsubscribes' | 'failed';

export function useReportList() {
  return useListAddress({ sorts: SORTS, direction: 'desc' });
}

export function ReportList({ id, listName }: { id: string; listName: SubscriberListName }) {
  const list = useReportList();
  const subscribersQuery = useQuery({
    ...api.query(`GET /client-api/api/sms/campaign/{id}/report/${listName}`, {
      params: { id },
      query: list.query,
    }),
    placeholderData: keepPreviousData,
  });
  return <SubscriberTable list={list} query={subscribersQuery} kind={listName} />;
}

interface SubscribersProps {
  list: ReturnType<typeof useReportList>;
  query: UseQueryResult<{ data: ReportedSubscriber[] }>;
  kind: SubscriberListName | 'clicks';
}

export function SubscriberTable({ list, query, kind }: SubscribersProps) {
  const t = useTexts('sms');
  const { dateTime } = useFormats();
  return (
    <DataTable
      label={t(`said.${kind}`)}
      query={query}
      list={list}
      rowId={(subscriber) => `${subscriber.person.id} ${subscriber.person.phone} ${subscriber.at}`}
      getRowName={(subscriber) => subscriber.person.name || subscriber.person.phone}
      columns={[
        {
          id: 'person',
          header: t('report.person'),
          cell: (subscriber) => (
            <>
              <bdi>{subscriber.person.name}</bdi> <bdi dir="ltr">{subscriber.person.phone}</bdi>
            </>
          ),
        },
        {
          id: 'said',
          header: t(`said.${kind}`),
          cell: (subscriber) => <bdi>{subscriber.said}</bdi>,
        },
        {
          id: 'at',
          header: t('report.at'),
          cell: (subscriber) => dateTime(subscriber.at),
        },
      ]}
      empty={<EmptyState icon={IconUsers} title={t('report.noSubscribers')} />}
    />
  );
}
