// `/campaigns/{id}`: redirects to the current step of the campaign.

import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { campaignPath } from './paths.ts';
import { useCampaign } from './queries.ts';

export default function ContinueScreen() {
  const campaign = useCampaign(useParam('campaign'));
  if (campaign.data) return <Redirect to={campaignPath(campaign.data.data)} />;
  if (campaign.error) return <FailedState error={campaign.error} retry={campaign.refetch} />;
  return <LoadingState rows={4} />;
}
