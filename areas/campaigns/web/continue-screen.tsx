// `/campaigns/{id}`: goes on where the campaign is.
import { Navigate } from '@tanstack/react-router';
import { useParam } from '#platform/web/use-param.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { pathOf } from './paths.ts';
import { useCampaign } from './queries.ts';

export default function ContinueScreen() {
  const campaign = useCampaign(useParam('campaign'));
  if (campaign.data) return <Navigate to={pathOf(campaign.data.data)} replace />;
  if (campaign.error) return <FailedState error={campaign.error} retry={campaign.refetch} />;
  return <LoadingState rows={4} />;
}
