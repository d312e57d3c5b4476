// Step 2: the recipients.
import { DraftOnly, RecipientsStep } from '#areas/broadcasts/web/index.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { stepPath } from '../paths.ts';
import { toBroadcast, useSms } from '../queries.ts';
import { smsUi } from '../ui.ts';

export default function RecipientsScreen() {
  const id = useParam('sms');
  return (
    <DraftOnly query={useSms(id)} reviewPath={stepPath(id, 'review')}>
      {(campaign) => <RecipientsStep ui={smsUi} campaign={toBroadcast(campaign)} />}
    </DraftOnly>
  );
}
