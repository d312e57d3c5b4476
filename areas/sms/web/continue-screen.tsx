// `/sms/{id}`: goes on where the campaign is; `/sms/{id}/editor`: where its words are.
import { Navigate, useLocation } from '@tanstack/react-router';
import { useParam } from '#platform/web/use-param.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { pathOf, stepPath } from './paths.ts';
import { useSms } from './queries.ts';

export default function ContinueScreen() {
  const id = useParam('sms');
  const { pathname } = useLocation();
  const campaign = useSms(id);
  if (campaign.data) {
    const isEditor = pathname.endsWith('/editor');
    return (
      <Navigate to={isEditor ? stepPath(id, 'settings') : pathOf(campaign.data.data)} replace />
    );
  }
  if (campaign.error) return <FailedState error={campaign.error} retry={campaign.refetch} />;
  return <LoadingState rows={4} />;
}
