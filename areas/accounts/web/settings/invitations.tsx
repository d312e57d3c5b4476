// Pending invitations below the list of users, with actions to resend and withdraw them.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import type { ListAddress } from '#platform/web/session/list-address.ts';
import { notice, toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { DataTable } from '#platform/web/ui/data-table.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { Invitation } from '../../settings-contract.ts';
import { api, INVITATIONS } from './queries.ts';
import classes from './settings.module.css';

export function Invitations() {
  const t = useTexts('accounts');
  const { date } = useFormats();
  const list = useOwnList();
  const invitations = useQuery({
    ...api.query('GET /client-api/api/invitations', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  const actions = useInvitationActions();
  if (!invitations.data?.meta?.total) return null;
  return (
    <section className={classes.below} aria-labelledby="invitations">
      <header>
        <h2 id="invitations">{t('invitations.pending')}</h2>
      </header>
      <DataTable
        label={t('invitations.pending')}
        query={invitations}
        list={list}
        rowId={(invitation) => invitation.id}
        getRowName={(invitation) => invitation.email}
        columns={[
          {
            id: 'email',
            header: t('fields.email'),
            sort: 'title',
            cell: (invitation) => <bdi>{toUnicodeDomain(invitation.email)}</bdi>,
          },
          {
            id: 'state',
            header: t('invitations.columns.state'),
            isWide: true,
            cell: (invitation) =>
              invitation.is_expired ? (
                <StatusDot tone="danger" label={t('invitations.expired')} />
              ) : (
                <StatusDot
                  tone="neutral"
                  label={t('invitations.until', { date: date(invitation.expires) })}
                />
              ),
          },
          {
            id: 'created',
            header: t('invitations.columns.created'),
            sort: 'created',
            align: 'end',
            isWide: true,
            cell: (invitation) => date(invitation.created),
          },
        ]}
        actions={actions}
        empty={null}
      />
    </section>
  );
}

function useInvitationActions() {
  const t = useTexts('accounts');
  const renew = useAction(
    ({ email }: Invitation) => api('POST /client-api/api/invitations', { body: { email } }),
    {
      invalidates: [INVITATIONS],
      onDone: (_, { email }) => notice(t('invitations.sent', { email })),
    },
  );
  const withdraw = async ({ id, email }: Invitation) => {
    const isDone = await confirm({
      title: t('invitations.withdrawTitle', { email }),
      message: t('invitations.withdrawText'),
      confirm: t('invitations.withdraw'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/invitations/{id}', { params: { id } }),
    });
    if (!isDone) return;
    toast(t('invitations.withdrawn'));
    await invalidate(INVITATIONS);
  };
  return [
    { label: t('invitations.renew'), run: (invitation: Invitation) => renew.mutate(invitation) },
    {
      label: t('invitations.withdraw'),
      isDanger: true,
      run: (invitation: Invitation) => void withdraw(invitation),
    },
  ];
}

const sorts = ['created', 'title', 'modified'] as const;

interface ListAddressValues {
  page: number;
  order: string;
  direction: 'asc' | 'desc';
  search: string;
  limit?: number;
}

/**
 * Returns the page and sort order of this list. They are not in the URL, which holds the state of
 * the user list on the same screen.
 */
function useOwnList(): ListAddress<Record<never, never>> {
  const [values, setValues] = useState<ListAddressValues>({
    page: 1,
    order: 'created',
    direction: 'desc',
    search: '',
  });
  const { page, order, direction, limit } = values;
  return {
    sorts,
    values,
    set: (change) => setValues((previous) => ({ ...previous, page: 1, ...change })),
    query: { page, order, direction, ...(limit === undefined ? {} : { limit }) },
    setPageSize: (size) => setValues((previous) => ({ ...previous, page: 1, limit: size })),
    isSizeChosen: limit !== undefined,
    isFiltered: false,
  };
}
