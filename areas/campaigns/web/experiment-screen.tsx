// The experiment of a draft: variants with other subjects, senders, designs or send times.
import { Suspense } from 'react';
import { ExperimentSetup } from '#areas/broadcasts/web/index.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { stepPath, variantPath } from './paths.ts';
import { useCampaign } from './queries.ts';
import { emailUi } from './ui.ts';

export default function ExperimentScreen() {
  const id = useParam('campaign');
  const campaign = useCampaign(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={6} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT' || data.resend_of !== null)
    return <Redirect to={stepPath(id, 'review')} />;
  const { subject, preheader, from_name } = data;
  return (
    <Suspense fallback={<LoadingState rows={6} />}>
      <ExperimentSetup
        ui={emailUi}
        campaign={data}
        control={{ subject, preheader, from_name }}
        designPath={(variant) => variantPath(id, variant)}
      />
    </Suspense>
  );
}
