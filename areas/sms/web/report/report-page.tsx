// The frame of all report views: the campaign's name and the navigation.
import { Button } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isInProgress } from '#areas/broadcasts/is-sending.ts';
import { BroadcastState, PauseButton } from '#areas/broadcasts/web/index.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { SmsCampaign } from '../../contract.ts';
import { reportPath } from '../paths.ts';
import { smsUi } from '../ui.ts';
import { useLiveSms, useSms } from '../queries.ts';
import { ReportViews } from './report-parts.tsx';

const VIEWS = ['overview', 'clicks', 'unsubscribes', 'delivery-failed', 'replies'] as const;
const WITH_EXPERIMENT = [...VIEWS, 'experiment'] as const;
export type ReportListView = (typeof WITH_EXPERIMENT)[number];

interface ReportPageProps {
  id: string;
  view: ReportListView;
  children: (campaign: SmsCampaign) => ReactNode;
}

/** Shown for a campaign that has sent no SMS yet, with a link to its current step. */
function NotSent({ id }: { id: string }) {
  const t = useTexts('sms');
  return (
    <EmptyState
      icon={IconChartLine}
      title={t('report.notSent')}
      action={
        <Button component={Link} to={`/sms/${id}`}>
          {t('report.open')}
        </Button>
      }
    >
      {t('report.notSentText')}
    </EmptyState>
  );
}

export function ReportPage({ id, view, children }: ReportPageProps) {
  const t = useTexts('sms');
  useLiveSms(id);
  const campaign = useSms(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={6} />;
  const { data } = campaign.data;
  return (
    <Page
      title={data.title}
      back={{ to: '/sms', label: t('title') }}
      actions={<PauseButton ui={smsUi} campaign={data} />}
      status={isInProgress(data) && <BroadcastState campaign={data} />}
    >
      <ReportViews
        views={data.experiment ? WITH_EXPERIMENT : VIEWS}
        view={view}
        getPath={(name) => reportPath(id, name)}
      />
      {data.figures === null ? <NotSent id={id} /> : children(data)}
    </Page>
  );
}
