// The log of the month's emails: the allowance of the plan, and the emails that campaigns sent.
import { IconMail } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { DataTable } from '#platform/web/ui/data-table.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import { api } from './queries.ts';

const SORTS = ['created'] as const;

export function EmailUsage() {
  const t = useTexts('billing');
  const { dateTime, number } = useFormats();
  const list = useListAddress({ sorts: SORTS, order: 'created', direction: 'desc' });
  const usage = useQuery({
    ...api.query('GET /client-api/api/billing/email-usage', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  return (
    <DataTable
      label={t('tabs.usage')}
      query={usage}
      list={list}
      rowId={(entry) => `${entry.at} ${entry.kind} ${entry.label}`}
      getRowName={(entry) => entry.label}
      columns={[
        { id: 'kind', header: t('log.what'), cell: ({ kind }) => t(`log.${kind}`) },
        {
          id: 'label',
          header: t('log.name'),
          isWide: true,
          cell: ({ label }) => <bdi>{label}</bdi>,
        },
        { id: 'at', header: t('log.when'), sort: 'created', cell: ({ at }) => dateTime(at) },
        {
          id: 'emails',
          header: t('log.emails'),
          align: 'end',
          cell: ({ emails }) => <bdi dir="ltr">{`${emails > 0 ? '+' : ''}${number(emails)}`}</bdi>,
        },
      ]}
      empty={
        <EmptyState icon={IconMail} title={t('log.empty')}>
          {t('log.emptyText')}
        </EmptyState>
      }
    />
  );
}
