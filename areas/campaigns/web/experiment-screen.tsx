// The experiment of a draft: variants with other subjects, senders, designs or send times.
import { Suspense } from 'react';
import { DraftOnly, ExperimentSetup } from '#areas/broadcasts/web/index.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { LoadingState } from '#platform/web/ui/states.tsx';
import type { Campaign } from '../contract.ts';
import { stepPath, variantPath } from './paths.ts';
import { useCampaign } from './queries.ts';
import { emailUi } from './ui.ts';

export default function ExperimentScreen() {
  const id = useParam('campaign');
  return (
    <DraftOnly query={useCampaign(id)} reviewPath={stepPath(id, 'review')}>
      {(campaign) => <Experiment campaign={campaign} />}
    </DraftOnly>
  );
}

/** The form of the experiment. A resend, which cannot have one, is redirected to its review. */
function Experiment({ campaign }: { campaign: Campaign }) {
  const { id, subject, preheader, from_name } = campaign;
  if (campaign.resend_of !== null) return <Redirect to={stepPath(id, 'review')} />;
  return (
    <Suspense fallback={<LoadingState rows={6} />}>
      <ExperimentSetup
        ui={emailUi}
        campaign={campaign}
        control={{ subject, preheader, from_name }}
        getDesignPath={(variant) => variantPath(id, variant)}
      />
    </Suspense>
  );
}
