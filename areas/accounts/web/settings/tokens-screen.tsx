// API tokens: created, shown once, revoked.
import { IconKey } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useRef, useState } from 'react';
import { late } from '#platform/web/shell/lazy-with-retry.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { Column } from '#platform/web/ui/data-table.tsx';
import { ListPage } from '#platform/web/ui/list-page.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { ApiToken } from '../../settings-contract.ts';
import { api, TOKENS } from './queries.ts';

const CreateToken = late(() => import('./create-token.tsx'));

const sorts = ['created', 'title', 'modified'] as const;

export default function TokensScreen() {
  const t = useTexts('accounts');
  const list = useListAddress({ sorts, order: 'created', direction: 'desc' });
  const tokens = useQuery({
    ...api.query('GET /client-api/api/tokens', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  const [isCreating, setCreating] = useState(false);
  // Loaded when first opened and then retained, so that the closing dialog can restore the focus.
  const wasOpened = useRef(false);
  wasOpened.current ||= isCreating;
  const revoke = useRevoke();
  const columns = useColumns();
  return (
    <ListPage
      title={t('tokens.title')}
      description={t('tokens.description')}
      create={{ onClick: () => setCreating(true), label: t('tokens.create') }}
      empty={{ icon: IconKey, title: t('tokens.empty'), text: t('tokens.emptyText') }}
      query={tokens}
      list={list}
      rowId={(token) => token.id}
      rowName={(token) => token.title}
      search={t('tokens.find')}
      columns={columns}
      actions={[{ label: t('tokens.revoke'), isDanger: true, run: (token) => void revoke(token) }]}
    >
      <Suspense fallback={null}>
        {wasOpened.current && <CreateToken isOpen={isCreating} close={() => setCreating(false)} />}
      </Suspense>
    </ListPage>
  );
}

function useColumns(): Column<ApiToken>[] {
  const t = useTexts('accounts');
  const { date, relative } = useFormats();
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
      cell: (token) => (token.last_used ? relative(token.last_used) : t('tokens.unused')),
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

const EXPIRES_SOON_MS = 7 * 86_400_000;

const isSoon = (expires: string) => new Date(expires).getTime() - Date.now() < EXPIRES_SOON_MS;

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
