// SMS sent by programs, grouped by title, with a report for each title.
import { Code, Text } from '@mantine/core';
import { IconMessage } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { smsReportPath } from '#areas/sms/web/index.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { TransactionalSms } from '../sms-contract.ts';
import { useTransactionalTabs } from './index.ts';
import { smsApi as api } from './queries.ts';

const SORTS = ['modified', 'created', 'title'] as const;
const FIGURES = ['sent', 'delivered', 'failed'] as const;
const CALL = 'POST /v2/sms/send';

export default function SmsListScreen() {
  const t = useTexts('transactional');
  const { number, dateTime } = useFormats();
  const list = useListAddress({ sorts: SORTS, direction: 'desc' });
  const smsQuery = useQuery({
    ...api.query('GET /client-api/api/transactional/sms', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  const nameOf = ({ title }: TransactionalSms) => title || t('texts.untitled');
  return (
    <Page title={t('title')} tabs={useTransactionalTabs()}>
      <DataTable
        label={t('texts.title')}
        query={smsQuery}
        list={list}
        rowId={(text) => text.id}
        getRowName={nameOf}
        getRowLink={(sms) => smsReportPath(sms.id)}
        search={t('texts.find')}
        columns={[
          {
            id: 'title',
            header: t('texts.title'),
            sort: 'title',
            cell: (text) => <bdi>{nameOf(text)}</bdi>,
          },
          ...FIGURES.map((name, index) => ({
            id: name,
            header: t(`texts.${name}`),
            align: 'end' as const,
            isWide: index > 0,
            width: 110,
            cell: ({ figures }: TransactionalSms) => {
              const count = figures[name];
              return count === null ? '–' : number(count);
            },
          })),
          {
            id: 'modified',
            header: t('texts.last'),
            sort: 'modified',
            align: 'end',
            isWide: true,
            width: 160,
            cell: (text) => <time dateTime={text.modified}>{dateTime(text.modified)}</time>,
          },
        ]}
        empty={
          <EmptyState icon={IconMessage} title={t('texts.empty.title')}>
            {t('texts.empty.text')}
            <Text component="span" display="block" mt="sm">
              <Code dir="ltr">{CALL}</Code>
            </Text>
          </EmptyState>
        }
      />
    </Page>
  );
}
