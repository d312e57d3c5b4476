// Step 3: recipients, which are the non-openers if the campaign is a resend.
import { Paper, Text } from '@mantine/core';
import { ExclusionHint } from '#areas/deliverability/web/index.ts';
import { DraftOnly, RecipientsStep } from '#areas/broadcasts/web/index.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { stepPath } from './paths.ts';
import { useCampaign } from './queries.ts';
import { emailUi } from './ui.ts';

export default function RecipientsScreen() {
  const id = useParam('campaign');
  return (
    <DraftOnly query={useCampaign(id)} reviewPath={stepPath(id, 'review')}>
      {(campaign) => (
        <RecipientsStep
          ui={emailUi}
          campaign={campaign}
          {...(campaign.resend_of === null
            ? { hint: <ExclusionHint id={id} revision={campaign.revision} /> }
            : { fixedRecipients: <UnopenedRecipients /> })}
        />
      )}
    </DraftOnly>
  );
}

/** The recipients of a resend cannot be chosen. */
function UnopenedRecipients() {
  const t = useTexts('campaigns');
  return (
    <Paper withBorder p="md">
      <Text size="sm">{t('recipients.unopened')}</Text>
    </Paper>
  );
}
