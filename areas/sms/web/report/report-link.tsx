// The subscribers who clicked one link.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { api } from '../queries.ts';
import { SubscriberTable, useReportList } from './report-list.tsx';
import { ReportPage } from './report-page.tsx';

export default function ReportLink() {
  const id = useParam('sms');
  const link = useParam('link');
  const list = useReportList();
  const clickersQuery = useQuery({
    ...api.query('GET /client-api/api/sms/campaign/{id}/report/links/{link}', {
      params: { id, link },
      query: list.query,
    }),
    placeholderData: keepPreviousData,
  });
  return (
    <ReportPage id={id} view="clicks">
      {() => <SubscriberTable list={list} query={clickersQuery} kind="clicks" />}
    </ReportPage>
  );
}
