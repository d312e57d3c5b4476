// Step 2: whom it goes to.
import { Navigate } from '@tanstack/react-router';
import { RecipientsStep } from '#areas/broadcasts/web/index.ts';
import { useParam } from '#platform/web/use-param.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { stepPath } from './paths.ts';
import { asBroadcast, useSms } from './queries.ts';
import { smsUi } from './ui.ts';

export default function RecipientsScreen() {
  const id = useParam('sms');
  const campaign = useSms(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={6} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT') return <Navigate to={stepPath(id, 'review')} replace />;
  return <RecipientsStep ui={smsUi} campaign={asBroadcast(data)} />;
}
