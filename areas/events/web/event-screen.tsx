// The page of one event type: occurrences per day, and a list of them with subscribers and
// properties.
import { Stack, Text, Title } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { CustomEvent, EventOccurrence } from '../contract.ts';
import { EventChart } from './event-chart.tsx';
import { api, SCREEN } from './queries.ts';

const SORTS = ['at'] as const;

export default function EventScreen() {
  const id = useParam('event');
  const event = useQuery(api.query('GET /client-api/api/custom_events/{id}', { params: { id } }));
  if (event.isLoadingError)
    return <FailedState isPage error={event.error} retry={() => void event.refetch()} />;
  if (!event.data) return <LoadingState rows={8} />;
  return <EventDetails event={event.data.data} />;
}

function EventDetails({ event }: { event: CustomEvent }) {
  const t = useTexts('events');
  const list = useListAddress({ sorts: SORTS, direction: 'desc' });
  const feed = useQuery({
    ...api.query('GET /client-api/api/custom_events/{id}/feed', {
      params: { id: event.id },
      query: list.query,
    }),
    placeholderData: keepPreviousData,
  });
  const columns = useColumns();
  return (
    <Page
      title={<bdi dir="ltr">{event.name}</bdi>}
      description={event.description && <bdi>{event.description}</bdi>}
      back={{ to: SCREEN, label: t('title') }}
    >
      <Stack gap="xl">
        <EventChart id={event.id} />
        <section aria-labelledby="feed">
          <Title order={2} size="h4" id="feed" mb="sm">
            {t('feed.title')}
          </Title>
          <DataTable<EventOccurrence>
            label={t('feed.title')}
            query={feed}
            list={list}
            rowId={(occurrence) => occurrence.id}
            getRowName={(occurrence) => occurrence.person || t('gone')}
            getRowLink={({ subscriber }) =>
              subscriber ? `/subscribers/${subscriber}/view` : undefined
            }
            search={t('feed.find')}
            columns={columns}
            empty={
              <EmptyState icon={IconActivity} title={t('feed.empty')}>
                {t('feed.emptyText')}
              </EmptyState>
            }
          />
        </section>
      </Stack>
    </Page>
  );
}

function useColumns(): TableColumn<EventOccurrence>[] {
  const t = useTexts('events');
  const { dateTime, money, number } = useFormats();
  return [
    {
      id: 'person',
      header: t('columns.person'),
      cell: (occurrence) => (
        <>
          {occurrence.person ? <bdi dir="ltr">{occurrence.person}</bdi> : t('gone')}
          <Text size="xs" c="dimmed">
            <bdi dir="ltr">{propertiesOf(occurrence)}</bdi>
          </Text>
        </>
      ),
    },
    {
      id: 'value',
      header: t('columns.value'),
      align: 'end',
      isWide: true,
      width: 140,
      cell: ({ value, currency }) => {
        if (value === null) return '–';
        return currency ? money(value, currency) : number(value);
      },
    },
    {
      id: 'at',
      header: t('columns.at'),
      sort: 'at',
      align: 'end',
      width: 190,
      cell: ({ at }) => <time dateTime={at}>{dateTime(at)}</time>,
    },
  ];
}

const MAX_PROPERTIES_SHOWN = 6;

const propertiesOf = ({ properties }: EventOccurrence) =>
  Object.entries(properties)
    .slice(0, MAX_PROPERTIES_SHOWN)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ');
