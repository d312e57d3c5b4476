// The user's sessions, with an action that ends a session other than the current one.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { DataTable } from '#platform/web/ui/data-table.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { ListedSession } from '../../settings-contract.ts';
import { parseDevice } from './device.ts';
import { api, SESSIONS } from './queries.ts';

const sorts = ['modified', 'created', 'title'] as const;

export function Sessions() {
  const t = useTexts('accounts');
  const { relative } = useFormats();
  const list = useListAddress({ sorts, order: 'modified', direction: 'desc' });
  const sessions = useQuery({
    ...api.query('GET /client-api/api/sessions', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  const end = useAction(
    (session: ListedSession) =>
      api('DELETE /client-api/api/sessions/{id}', { params: { id: session.id } }),
    { invalidates: [SESSIONS], onDone: () => toast(t('sessions.ended')) },
  );
  const formatName = ({ user_agent }: ListedSession) => {
    const { browser, system } = parseDevice(user_agent);
    if (browser && system) return t('sessions.device', { browser, system });
    return browser ?? system ?? t('sessions.unknown');
  };
  return (
    <DataTable
      label={t('sessions.title')}
      query={sessions}
      list={list}
      rowId={(session) => session.id}
      getRowName={formatName}
      columns={[
        { id: 'device', header: t('sessions.columns.device'), cell: formatName },
        {
          id: 'ip',
          header: t('sessions.columns.ip'),
          isWide: true,
          cell: (session) => <bdi>{session.ip}</bdi>,
        },
        {
          id: 'seen',
          header: t('sessions.columns.seen'),
          sort: 'modified',
          cell: (session) =>
            session.is_current ? (
              <StatusDot tone="success" label={t('sessions.current')} />
            ) : (
              relative(session.last_seen)
            ),
        },
      ]}
      actions={[
        {
          label: t('sessions.end'),
          isDanger: true,
          isHidden: (session) => session.is_current,
          run: (session) => end.mutate(session),
        },
      ]}
      empty={<EmptyState title={t('sessions.none')} />}
    />
  );
}
