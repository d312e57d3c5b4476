// The users and pending invitations of the account.
import { Badge, Button, Group } from '@mantine/core';
import { IconUserPlus, IconUsers } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { findPreset } from '#platform/rights.ts';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useRights } from '#platform/web/session/rights.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { AccountUser } from '../../settings-contract.ts';
import { Invitations } from './invitations.tsx';
import { api } from './queries.ts';
import { getUserName, useUserActions } from './user-actions.ts';
import { useWasOpened } from '#platform/web/hooks/use-was-opened.ts';

const InviteDialog = lazyWithRetry(() => import('./invite-dialog.tsx'));

const sorts = ['created', 'title', 'modified'] as const;

export default function UsersScreen() {
  const t = useTexts('accounts');
  const navigate = useNavigate();
  const list = useListAddress({ sorts, order: 'created', direction: 'asc' });
  const users = useQuery({
    ...api.query('GET /client-api/api/account_users', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  const { remove } = useUserActions();
  const isAdmin = useRights().has('admin');
  const [isInviting, setInviting] = useState(false);
  const wasOpened = useWasOpened(isInviting);
  const action = isAdmin && (
    <Button
      leftSection={<IconUserPlus size={18} stroke={1.75} />}
      onClick={() => setInviting(true)}
    >
      {t('invitations.invite')}
    </Button>
  );
  const columns = useColumns();
  return (
    <Page title={t('users.title')} description={t('users.description')} actions={action}>
      <DataTable
        label={t('users.title')}
        query={users}
        list={list}
        rowId={(user) => user.id}
        getRowName={getUserName}
        getRowLink={(user) => `/settings/user/${user.id}`}
        search={t('users.find')}
        columns={columns}
        actions={[
          {
            label: t('users.edit'),
            run: (user) => void navigate({ to: `/settings/user/${user.id}` }),
          },
          {
            label: t('users.remove'),
            isDanger: true,
            isHidden: (user) => user.is_you || !isAdmin,
            run: (user) => void remove(user),
          },
        ]}
        empty={<EmptyState icon={IconUsers} title={t('users.title')} action={action} />}
      />
      {isAdmin && <Invitations />}
      <Suspense fallback={null}>
        {wasOpened && <InviteDialog isOpen={isInviting} close={() => setInviting(false)} />}
      </Suspense>
    </Page>
  );
}

function useColumns(): TableColumn<AccountUser>[] {
  const t = useTexts('accounts');
  const { date } = useFormats();
  return [
    {
      id: 'name',
      header: t('users.columns.name'),
      cell: (user) => (
        <Group gap={8} component="span">
          <bdi>{getUserName(user)}</bdi>
          {user.is_you && <Badge variant="light">{t('users.you')}</Badge>}
        </Group>
      ),
    },
    {
      id: 'email',
      header: t('fields.email'),
      sort: 'title',
      isWide: true,
      cell: (user) => <bdi>{toUnicodeDomain(user.email)}</bdi>,
    },
    {
      id: 'rights',
      header: t('rights.title'),
      isWide: true,
      cell: (user) => t(`rights.presets.${findPreset(user.denied) ?? 'custom'}`),
    },
    {
      id: 'created',
      header: t('users.columns.created'),
      sort: 'created',
      align: 'end',
      isWide: true,
      cell: (user) => date(user.created),
    },
  ];
}
