// A list of subscribers in a report, with the time of each action. Some lists also show how often a
// subscriber acted, and whether a human or a machine acted; other lists show the reason.
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { WhyDialog } from '#areas/delivery/web/index.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import type { ListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { type TableColumn, DataTable, type DataTableProps } from '#platform/web/ui/data-table.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { RecipientAction } from '../contract.ts';
import classes from './actions.module.css';
import { useOverview } from './queries.ts';

export interface ActionsTableProps {
  label: string;
  query: DataTableProps<RecipientAction>['query'];
  list: ListAddress<object>;
  /**
   * Whether the list shows counts, and whether a human or a machine acted, like the lists of opens
   * and clicks.
   */
  withCount: boolean;
  /** Whether the list shows reasons, like the lists of bounces and copies that were not sent. */
  withReason: boolean;
  /** False if the list has a fixed order. */
  canSort?: boolean;
  filters?: ReactNode;
}

export function ActionsTable(props: ActionsTableProps) {
  const { label, query, list, filters } = props;
  const t = useTexts('reports');
  const campaign = useParam('campaign');
  const [explained, setExplained] = useState<RecipientAction['subscriber']>(null);
  const columns = useColumns(props);
  const table = (
    <DataTable
      label={label}
      query={query}
      list={list}
      // Deleted subscribers have no id, and many copies have the same instant.
      rowId={(action) =>
        `${action.subscriber?.id ?? query.data?.data.indexOf(action) ?? ''} ${action.at}`
      }
      getRowName={(action) => toUnicodeDomain(action.subscriber?.email ?? t('actions.deleted'))}
      search={t('actions.find')}
      filters={filters}
      columns={columns}
      actions={[
        {
          label: t('actions.why'),
          isHidden: (action) => action.subscriber === null,
          run: (action) => setExplained(action.subscriber),
        },
      ]}
      empty={<EmptyState title={t('actions.empty')} />}
    />
  );
  return (
    <>
      {table}
      <WhyDialog
        question={explained ? { campaign, subscriber: explained.id } : undefined}
        name={explained?.email && toUnicodeDomain(explained.email)}
        close={() => setExplained(null)}
      />
    </>
  );
}

function useColumns({
  withCount,
  withReason,
  canSort = true,
}: ActionsTableProps): TableColumn<RecipientAction>[] {
  const t = useTexts('reports');
  // The account's zone, as everywhere in the report, regardless of the reader's zone.
  const zone = useOverview().data?.data.zone;
  const { number, dateTime } = useFormats();
  return [
    {
      id: 'email',
      header: t('actions.columns.subscriber'),
      sort: canSort ? 'email' : undefined,
      cell: (action) => <SubscriberCell action={action} />,
    },
    ...(withReason
      ? [
          {
            id: 'reason',
            header: t('actions.columns.reason'),
            cell: (action: RecipientAction) => <FailureReason action={action} />,
          },
        ]
      : []),
    ...(withCount
      ? [
          {
            id: 'by',
            header: t('actions.columns.by'),
            isWide: true,
            cell: (action: RecipientAction) =>
              t(action.is_human ? 'actions.person' : 'actions.machine'),
          },
          {
            id: 'count',
            header: t('actions.columns.count'),
            align: 'end' as const,
            isWide: true,
            cell: (action: RecipientAction) => number(action.count ?? 0),
          },
        ]
      : []),
    {
      id: 'at',
      header: t('actions.columns.at'),
      sort: canSort ? 'at' : undefined,
      align: 'end',
      cell: (action) => <span className={classes.at}>{dateTime(action.at, zone)}</span>,
    },
  ];
}

function SubscriberCell({ action: { subscriber } }: { action: RecipientAction }) {
  const t = useTexts('reports');
  if (!subscriber) {
    return (
      <Text component="span" size="sm" c="dimmed">
        {t('actions.deleted')}
      </Text>
    );
  }
  const name = [subscriber.firstname, subscriber.lastname].filter(Boolean).join(' ');
  return (
    <span className={classes.person}>
      <Link to={`/subscribers/${subscriber.id}/view`} className={classes.link}>
        <bdi>{toUnicodeDomain(subscriber.email ?? name)}</bdi>
      </Link>
      {name && subscriber.email && (
        <Text component="span" size="xs" c="dimmed">
          <bdi>{name}</bdi>
        </Text>
      )}
    </span>
  );
}

/** Shows the product's reason, then the reply of the mail server. */
function FailureReason({ action }: { action: RecipientAction }) {
  const t = useTexts('reports');
  const reply = [action.code, action.reply].filter(Boolean).join(' ');
  return (
    <span className={classes.person}>
      {action.reason && (
        <span>{t(`reasons.${action.reason}`, { defaultValue: action.reason })}</span>
      )}
      {reply && (
        <Text component="span" size="xs" c="dimmed" className={classes.reply}>
          <bdi>{reply}</bdi>
        </Text>
      )}
      {!action.reason && !reply && '–'}
    </span>
  );
}
