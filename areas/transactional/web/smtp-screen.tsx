// SMTP users, and the host and ports of submission. The password of a user is shown once.
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconPlus, IconServer } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { SmtpUserView } from '../contract.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import { useTransactionalTabs } from './index.ts';
import { OtherEmails } from './other-emails.tsx';
import { api } from './queries.ts';

const USERS = '/client-api/api/smtp_users';
const SORTS = ['created', 'title'] as const;

type CreatedUser = { username: string; password: string };

export default function SmtpScreen() {
  const t = useTexts('transactional');
  const list = useListAddress({ sorts: SORTS, direction: 'desc' });
  const [createdUser, setCreatedUser] = useState<CreatedUser>();
  const users = useQuery({
    ...api.query('GET /client-api/api/smtp_users', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  const emails = useQuery(
    api.query('GET /client-api/api/transactional', { query: { limit: '1' } }),
  );
  const create = useCreate(setCreatedUser);
  const remove = useRemove();
  const action = (
    <Button leftSection={<IconPlus size={18} stroke={1.75} />} onClick={() => void create()}>
      {t('smtp.create')}
    </Button>
  );
  const columns = useColumns();
  return (
    <Page title={t('title')} actions={action} tabs={useTransactionalTabs()}>
      <Stack gap="lg">
        <ConnectionDetails server={users.data?.server} />
        <OtherEmails emails={emails.data?.other} />
        {createdUser && <Password createdUser={createdUser} />}
        <DataTable<SmtpUserView>
          label={t('smtp.title')}
          query={users}
          list={list}
          rowId={(user) => user.id}
          getRowName={(user) => user.title}
          columns={columns}
          actions={[{ label: t('acts.delete'), isDanger: true, run: (user) => void remove(user) }]}
          empty={
            <EmptyState icon={IconServer} title={t('smtp.empty')} action={action}>
              {t('smtp.emptyText')}
            </EmptyState>
          }
        />
      </Stack>
    </Page>
  );
}

function useColumns(): TableColumn<SmtpUserView>[] {
  const t = useTexts('transactional');
  const { date, relative } = useFormats();

  return [
    {
      id: 'title',
      header: t('fields.title'),
      sort: 'title',
      cell: (user) => (
        <>
          <bdi>{user.title}</bdi>
          <Text size="xs" c="dimmed">
            <bdi dir="ltr">{user.username}</bdi>
          </Text>
        </>
      ),
    },
    {
      id: 'used',
      header: t('smtp.used'),
      isWide: true,
      width: 170,
      cell: ({ last_used }) => (last_used ? relative(last_used) : t('smtp.unused')),
    },
    {
      id: 'created',
      header: t('columns.created'),
      sort: 'created',
      align: 'end',
      width: 130,
      cell: ({ created }) => date(created),
    },
  ];
}

type Server = { host: string; port: number | null; tls_port: number | null };

function ConnectionDetails({ server }: { server: Server | undefined }) {
  const t = useTexts('transactional');
  if (!server) return null;
  const { host, port, tls_port } = server;
  if (port === null && tls_port === null) return <Alert color="gray">{t('smtp.closed')}</Alert>;
  const ports = [port && `${port} STARTTLS`, tls_port && `${tls_port} TLS`].filter(Boolean);
  return (
    <Text>
      {t('smtp.where')}{' '}
      <Code dir="ltr">
        {host}: {ports.join(', ')}
      </Code>
    </Text>
  );
}

function Password({ createdUser }: { createdUser: CreatedUser }) {
  const t = useTexts('transactional');
  return (
    <Alert color="warning" role="status" title={t('smtp.once')}>
      <Group gap="xs">
        <Code dir="ltr">{createdUser.username}</Code>
        <CopyButton value={createdUser.username} label={t('smtp.copyName')} />
      </Group>
      <Group gap="xs">
        <Code dir="ltr">{createdUser.password}</Code>
        <CopyButton value={createdUser.password} label={t('smtp.copyPassword')} />
      </Group>
    </Alert>
  );
}

function useCreate(onMade: (createdUser: CreatedUser) => void) {
  const t = useTexts('transactional');
  return async () => {
    await promptInput({
      type: 'text',
      maxLength: MAX_TITLE_LENGTH,
      title: t('smtp.create'),
      label: t('fields.title'),
      confirm: t('smtp.create'),
      send: async (title) => {
        const body = { title };
        const { data } = await api('POST /client-api/api/smtp_users', { body });
        onMade(data);
      },
    });
    await invalidate(USERS);
  };
}

function useRemove() {
  const t = useTexts('transactional');
  return async ({ id, title }: SmtpUserView) => {
    const isDone = await confirm({
      title: t('delete.title', { title }),
      message: t('smtp.deleteText'),
      confirm: t('acts.delete'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/smtp_users/{id}', { params: { id } }),
    });
    if (isDone) await invalidate(USERS);
  };
}
