// The experiment of a campaign: its verdict and its variants.
import { Suspense } from 'react';
import { ExperimentReport } from '#areas/broadcasts/web/index.ts';
import { useCampaign } from '#areas/campaigns/web/index.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';

export default function ExperimentScreen() {
  const id = useParam('campaign');
  const startedAt = useCampaign(id).data?.data.delivery?.started_at ?? null;
  return (
    <Suspense fallback={<LoadingState rows={5} />}>
      <ExperimentReport ui={{ base: '/client-api/api/campaigns' }} id={id} startedAt={startedAt} />
    </Suspense>
  );
}
