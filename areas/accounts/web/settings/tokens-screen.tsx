// The API tokens, which are created, limited, rotated and revoked here.
import { Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { TableColumn } from '#platform/web/ui/data-table.tsx';
import { ListPage } from '#platform/web/ui/list-page.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { ApiToken } from '../../settings-contract.ts';
import { ROTATION_HOURS } from '../../shared.ts';
import { api, TOKENS } from './queries.ts';
import { getRightName } from './rights-fields.tsx';
import { useWasOpened } from '#platform/web/hooks/use-was-opened.ts';

const TokenDialog = lazyWithRetry(() => import('./token-dialog.tsx'));

/** The content of the dialog: a new token, a token to edit, or the secret of a rotated token. */
interface DialogContent {
  token?: ApiToken | undefined;
  secret?: string | undefined;
}

const sorts = ['created', 'title', 'modified'] as const;

export default function TokensScreen() {
  const t = useTexts('accounts');
  const list = useListAddress({ sorts, order: 'created', direction: 'desc' });
  const tokens = useQuery({
    ...api.query('GET /client-api/api/tokens', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  const [shown, setShown] = useState<DialogContent>();
  const close = () => setShown(undefined);
  const { user } = useSession();
  const wasOpened = useWasOpened(shown !== undefined);
  const revoke = useRevoke();
  const rotate = useRotate((token, secret) => setShown({ token, secret }));
  const columns = useColumns();
  return (
    <ListPage
      title={t('tokens.title')}
      description={t('tokens.description')}
      create={{ onClick: () => setShown({}), label: t('tokens.create') }}
      empty={{ icon: IconKey, title: t('tokens.empty'), text: t('tokens.emptyText') }}
      query={tokens}
      list={list}
      rowId={(token) => token.id}
      getRowName={(token) => token.title}
      search={t('tokens.find')}
      columns={columns}
      actions={[
        { label: t('tokens.edit'), run: (token) => setShown({ token }) },
        {
          label: t('tokens.rotate'),
          // Only the user who created a token can rotate it, because the new secret acts as that
          // user.
          isHidden: (token) => token.user?.id !== user.id,
          run: (token) => void rotate(token),
        },
        { label: t('tokens.revoke'), isDanger: true, run: (token) => void revoke(token) },
      ]}
    >
      <Suspense fallback={null}>
        {wasOpened && <TokenDialog isOpen={shown !== undefined} close={close} {...shown} />}
      </Suspense>
    </ListPage>
  );
}

function useColumns(): TableColumn<ApiToken>[] {
  const t = useTexts('accounts');
  const { date } = useFormats();
  return [
    {
      id: 'title',
      header: t('tokens.columns.title'),
      sort: 'title',
      cell: (token) => <bdi>{token.title}</bdi>,
    },
    {
      id: 'expires',
      header: t('tokens.columns.expires'),
      cell: (token) => <Expiry token={token} />,
    },
    {
      id: 'used',
      header: t('tokens.columns.used'),
      isWide: true,
      cell: (token) => <LastUse token={token} />,
    },
    {
      id: 'rights',
      header: t('rights.title'),
      isWide: true,
      cell: (token) =>
        token.scopes?.map((right) => getRightName(t, right)).join(', ') ?? t('rights.presets.full'),
    },
    {
      id: 'created',
      header: t('tokens.columns.created'),
      sort: 'created',
      align: 'end',
      isWide: true,
      cell: (token) => date(token.created),
    },
  ];
}

function LastUse({ token }: { token: ApiToken }) {
  const t = useTexts('accounts');
  const { relative } = useFormats();
  if (!token.last_used) return t('tokens.unused');
  return (
    <Stack gap={0}>
      {relative(token.last_used)}
      {token.last_ip && (
        <Text size="xs" c="dimmed" title={token.last_client ?? undefined}>
          <bdi dir="ltr">{token.last_ip}</bdi>
        </Text>
      )}
    </Stack>
  );
}

const WARN_BEFORE_MS = 7 * 86_400_000;

const isSoon = (expires: string) => new Date(expires).getTime() - Date.now() < WARN_BEFORE_MS;

function Expiry({ token }: { token: ApiToken }) {
  const t = useTexts('accounts');
  const { dateTime, relative } = useFormats();
  if (token.is_expired) return <StatusDot tone="danger" label={t('tokens.expired')} />;
  if (token.expires && isSoon(token.expires)) {
    return <StatusDot tone="warning" label={t('tokens.soon', { when: relative(token.expires) })} />;
  }
  return (
    <StatusDot tone="success" label={token.expires ? dateTime(token.expires) : t('tokens.never')} />
  );
}

function useRotate(onDone: (token: ApiToken, secret: string) => void) {
  const t = useTexts('accounts');
  return async (token: ApiToken) => {
    let secret: string | undefined;
    const isDone = await confirm({
      title: t('tokens.rotateTitle', { title: token.title }),
      message: token.is_expired
        ? t('tokens.rotatedExpired')
        : t('tokens.rotatedText', { count: ROTATION_HOURS }),
      confirm: t('tokens.rotate'),
      run: async () => {
        const params = { id: token.id };
        const { data } = await api('POST /client-api/api/tokens/{id}/rotate', { params });
        secret = data.token;
      },
    });
    if (!isDone || secret === undefined) return;
    onDone(token, secret);
    await invalidate(TOKENS);
  };
}

function useRevoke() {
  const t = useTexts('accounts');
  return async ({ id, title }: ApiToken) => {
    const isDone = await confirm({
      title: t('tokens.revokeTitle', { title }),
      message: t('tokens.revokeText'),
      confirm: t('tokens.revoke'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/tokens/{id}', { params: { id } }),
    });
    if (!isDone) return;
    toast(t('tokens.revoked', { title }));
    await invalidate(TOKENS);
  };
}
