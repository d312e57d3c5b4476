// The list of the account's sending domains, their states, and the actions to add, remove and
// confirm them.
import { Button } from '@mantine/core';
import { IconPlus, IconWorld } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { flag, text, useSearchParams } from '#platform/web/api/address.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type TableColumn, DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { Domain } from '../contract.ts';
import { useDomainActions } from './actions.ts';
import { DomainDot, formatEmail } from './domain-state.tsx';
import { api } from './queries.ts';
import { useWasOpened } from '#platform/web/hooks/use-was-opened.ts';

const AddDomainDialog = lazyWithRetry(() => import('./add-domain-dialog.tsx'));

const SORTS = ['title', 'created', 'modified'] as const;
/** `confirm` is the token of a confirmation link; links that open this screen are redirected. */
const searchParams = { add: flag(), confirm: text() };

export default function DomainsScreen() {
  const [{ add, confirm: confirmToken }, setParams] = useSearchParams(searchParams);
  if (confirmToken) return <Redirect to="/confirm-domain" search={{ token: confirmToken }} />;
  return (
    <Domains isAdding={add} setAdding={(isOpen) => setParams({ add: isOpen }, { replace: true })} />
  );
}

function Domains({ isAdding, setAdding }: { isAdding: boolean; setAdding: (on: boolean) => void }) {
  const t = useTexts('domains');
  const navigate = useNavigate();
  const list = useListAddress({ sorts: SORTS, order: 'created', direction: 'desc' });
  const domains = useQuery({
    ...api.query('GET /client-api/api/domains', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  const { resend, remove, isCheckingUses } = useDomainActions();
  const wasOpened = useWasOpened(isAdding);
  const action = (
    <Button leftSection={<IconPlus size={18} stroke={1.75} />} onClick={() => setAdding(true)}>
      {t('add.action')}
    </Button>
  );
  return (
    <Page title={t('title')} description={t('description')} actions={action}>
      <DataTable
        label={t('title')}
        query={domains}
        list={list}
        rowId={(domain) => domain.id}
        getRowName={(domain) => domain.shown_name}
        getRowLink={(domain) => `/settings/domains/${domain.id}`}
        search={t('find')}
        columns={useColumns()}
        actions={[
          {
            label: t('resend.action'),
            isHidden: (domain) => domain.email_verified,
            run: (domain) => resend.mutate(domain),
          },
          {
            label: t('remove.action'),
            isDanger: true,
            run: (domain) => remove(domain),
            getBusyText: (domain) =>
              isCheckingUses(domain)
                ? t('remove.checking', { domain: domain.shown_name })
                : undefined,
          },
        ]}
        empty={
          <EmptyState icon={IconWorld} title={t('empty.title')} action={action}>
            {t('empty.text')}
          </EmptyState>
        }
      />
      <Suspense fallback={null}>
        {wasOpened && (
          <AddDomainDialog
            isOpen={isAdding}
            close={() => setAdding(false)}
            onAdded={(domain) => void navigate({ to: `/settings/domains/${domain.id}` })}
          />
        )}
      </Suspense>
    </Page>
  );
}

function useColumns(): TableColumn<Domain>[] {
  const t = useTexts('domains');
  const { date } = useFormats();
  return [
    {
      id: 'title',
      header: t('columns.domain'),
      sort: 'title',
      width: '45%',
      cell: (domain) => <bdi dir="ltr">{domain.shown_name}</bdi>,
    },
    {
      id: 'state',
      header: t('columns.state'),
      cell: (domain) => <DomainDot domain={domain} />,
    },
    {
      id: 'email',
      header: t('columns.email'),
      isWide: true,
      cell: (domain) => <bdi dir="ltr">{formatEmail(domain)}</bdi>,
    },
    {
      id: 'created',
      header: t('columns.created'),
      sort: 'created',
      align: 'end',
      isWide: true,
      cell: (domain) => date(domain.created),
    },
  ];
}
