// The experiment of a draft: variants that differ in text or send time.
import { Suspense } from 'react';
import { DraftOnly, ExperimentSetup } from '#areas/broadcasts/web/index.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { stepPath } from '../paths.ts';
import { toBroadcast, useSms } from '../queries.ts';
import { smsUi } from '../ui.ts';

export default function ExperimentScreen() {
  const id = useParam('sms');
  return (
    <DraftOnly query={useSms(id)} reviewPath={stepPath(id, 'review')}>
      {(campaign) => (
        <Suspense fallback={<LoadingState rows={6} />}>
          <ExperimentSetup
            ui={smsUi}
            campaign={toBroadcast(campaign)}
            control={{ text: campaign.text }}
          />
        </Suspense>
      )}
    </DraftOnly>
  );
}
