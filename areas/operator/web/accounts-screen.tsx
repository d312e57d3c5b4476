// All accounts of the installation: plan, subscribers, emails, suspensions.
import { IconBuildingStore } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { OperatorAccount } from '../contract.ts';
import classes from './operator.module.css';
import { OperatorPage } from './operator-page.tsx';
import { buildAccountPath, api, useOperatorTabs } from './queries.ts';

const SORTS = ['created', 'title', 'subscribers'] as const;

export default function AccountsScreen() {
  const t = useTexts('operator');
  const tabs = useOperatorTabs();
  const list = useListAddress({ sorts: SORTS, order: 'created', direction: 'desc' });
  const accounts = useQuery({
    ...api.query('GET /client-api/api/operator/accounts', { query: list.query }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const columns = useColumns();
  return (
    <OperatorPage title={t('title')} tabs={tabs}>
      <DataTable
        label={t('accounts.title')}
        query={accounts}
        list={list}
        rowId={(account) => account.id}
        getRowName={nameOf}
        getRowLink={(account) => buildAccountPath(account.id)}
        search={t('accounts.find')}
        columns={columns}
        empty={<EmptyState icon={IconBuildingStore} title={t('accounts.none')} />}
      />
    </OperatorPage>
  );
}

function useColumns(): TableColumn<OperatorAccount>[] {
  const t = useTexts('operator');
  const { date, number } = useFormats();
  return [
    {
      id: 'title',
      header: t('accounts.name'),
      sort: 'title',
      cell: (account) => (
        <>
          <bdi>{nameOf(account)}</bdi>
          {account.title && account.email && (
            <span className={classes.beside}>
              <bdi>{toUnicodeDomain(account.email)}</bdi>
            </span>
          )}
        </>
      ),
    },
    {
      id: 'state',
      header: t('accounts.state'),
      cell: (row) => <AccountState account={row} />,
    },
    {
      id: 'plan',
      header: t('accounts.plan'),
      isWide: true,
      cell: ({ plan }) => <bdi>{plan ?? '–'}</bdi>,
    },
    {
      id: 'subscribers',
      header: t('accounts.subscribers'),
      sort: 'subscribers',
      align: 'end',
      cell: ({ subscribers }) => number(subscribers),
    },
    {
      id: 'emails',
      header: t('accounts.emails'),
      align: 'end',
      isWide: true,
      cell: ({ emails }) => number(emails),
    },
    {
      id: 'created',
      header: t('accounts.created'),
      sort: 'created',
      align: 'end',
      isWide: true,
      cell: ({ created }) => <time dateTime={created}>{date(created)}</time>,
    },
  ];
}

const nameOf = ({ title, email, id }: OperatorAccount) => title || email || id;

export function AccountState({ account }: { account: OperatorAccount }) {
  const t = useTexts('operator');
  if (account.suspended) return <StatusDot tone="danger" label={t('accounts.suspended')} />;
  if (account.plan_state === 'past_due')
    return <StatusDot tone="warning" label={t('accounts.pastDue')} />;
  return <StatusDot tone="success" label={t('accounts.active')} />;
}
