// The report of a workflow step's SMS, or of transactional SMS with one title: counters and links.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { smsReportPath } from '../paths.ts';
import { textReports as api } from '../queries.ts';
import { ReportCounters, ReportLinks, ReportViews } from './report-parts.tsx';

const BACK_LINKS = {
  sms_workflow: (t: ReturnType<typeof useTexts>) => ({
    to: '/automation/index',
    label: t('stepReport.back'),
  }),
  sms_transactional: (t: ReturnType<typeof useTexts>) => ({
    to: '/transactional/sms',
    label: t('stepReport.backToTexts'),
  }),
};

const VIEWS = ['overview', 'clicks'] as const;

export default function SmsReportScreen() {
  const t = useTexts('sms');
  const id = useParam('step');
  const { pathname } = useLocation();
  const view = /\/clicks\/?$/.test(pathname) ? 'clicks' : 'overview';
  const report = useQuery(
    api.query('GET /client-api/api/transactional/sms/{id}/report', { params: { id } }),
  );
  const links = useQuery(
    api.query('GET /client-api/api/transactional/sms/{id}/report/clicks', { params: { id } }),
  );
  if (report.isLoadingError)
    return <FailedState error={report.error} retry={() => void report.refetch()} />;
  if (!report.data) return <LoadingState rows={6} />;
  const { of, text, sender, figures } = report.data.data;
  return (
    <Page
      title={<bdi>{text.split('\n')[0]?.slice(0, 80) || t('stepReport.title')}</bdi>}
      description={t('stepReport.from', { sender: `\u2068${sender}\u2069` })}
      back={BACK_LINKS[of](t)}
    >
      <ReportViews views={VIEWS} view={view} getPath={(name) => smsReportPath(id, name)} />
      {view === 'overview' && (
        <ReportCounters counts={figures} paths={{ clickRate: smsReportPath(id, 'clicks') }} />
      )}
      {view === 'overview' && (
        <Text component="h2" fw={600} mt="xl" mb="sm">
          {t('report.links')}
        </Text>
      )}
      <ReportLinks query={links} />
    </Page>
  );
}
