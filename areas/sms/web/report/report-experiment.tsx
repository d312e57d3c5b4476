// The experiment of a sent SMS campaign.
import { Suspense } from 'react';
import { ExperimentReport } from '#areas/broadcasts/web/index.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { smsUi } from '../ui.ts';
import { ReportPage } from './report-page.tsx';

export default function ReportExperiment() {
  const id = useParam('sms');
  return (
    <ReportPage id={id} view="experiment">
      {({ delivery }) => (
        <Suspense fallback={<LoadingState rows={5} />}>
          <ExperimentReport ui={smsUi} id={id} startedAt={delivery?.started_at ?? null} />
        </Suspense>
      )}
    </ReportPage>
  );
}
