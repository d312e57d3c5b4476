// The experiment of a draft: variants with other texts or send times.
import { Suspense } from 'react';
import { ExperimentSetup } from '#areas/broadcasts/web/index.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { stepPath } from '../paths.ts';
import { asBroadcast, useSms } from '../queries.ts';
import { smsUi } from '../ui.ts';

export default function ExperimentScreen() {
  const id = useParam('sms');
  const campaign = useSms(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={6} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT') return <Redirect to={stepPath(id, 'review')} />;
  return (
    <Suspense fallback={<LoadingState rows={6} />}>
      <ExperimentSetup ui={smsUi} campaign={asBroadcast(data)} control={{ text: data.text }} />
    </Suspense>
  );
}
