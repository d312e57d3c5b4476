// `/sms/{id}`: opens a draft at its next step, a scheduled or running campaign at its review, and a
// sent one at its report.

import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { smsCampaignPath } from '../paths.ts';
import { useSms } from '../queries.ts';

export default function ContinueScreen() {
  const campaign = useSms(useParam('sms'));
  if (campaign.data) return <Redirect to={smsCampaignPath(campaign.data.data)} />;
  if (campaign.error) return <FailedState error={campaign.error} retry={campaign.refetch} />;
  return <LoadingState rows={4} />;
}
