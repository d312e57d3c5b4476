// Step 3: recipients. A resend goes to non-openers.
import { Paper, Text } from '@mantine/core';
import { ExclusionHint } from '#areas/deliverability/web/index.ts';
import { RecipientsStep } from '#areas/broadcasts/web/index.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { stepPath } from './paths.ts';
import { useCampaign } from './queries.ts';
import { emailUi } from './ui.ts';

export default function RecipientsScreen() {
  const id = useParam('campaign');
  const campaign = useCampaign(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={6} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT') return <Redirect to={stepPath(id, 'review')} />;
  const choices =
    data.resend_of === null
      ? { hint: <ExclusionHint id={id} revision={data.revision} /> }
      : { fixed: <Unopened /> };
  return <RecipientsStep ui={emailUi} campaign={data} {...choices} />;
}

/** The recipients of a resend cannot be chosen. */
function Unopened() {
  const t = useTexts('campaigns');
  return (
    <Paper withBorder p="md">
      <Text size="sm">{t('recipients.unopened')}</Text>
    </Paper>
  );
}
