// The experiment of a draft in a few lines: the shares, the visible difference, and a link to its
// settings.
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { useRecipients } from '../recipient-count.tsx';
import type { Broadcast, BroadcastUi } from '../ui.ts';
import { useExperiment } from './experiment-api.ts';
import { ExperimentBar, VisibleDifference } from './experiment-bar.tsx';

interface Props {
  ui: BroadcastUi;
  campaign: Broadcast;
}

export default function ExperimentSummary({ ui, campaign }: Props) {
  const t = useTexts('experiments');
  const { id } = campaign;
  const recipientCount = useRecipients(ui, id).data?.data.count;
  const experimentQuery = useExperiment(ui, id);
  if (!experimentQuery.data) return experimentQuery.isPending ? <LoadingState rows={2} /> : null;
  const experiment = experimentQuery.data.data;
  const shares = {
    variants: experiment.variants.length,
    testShare: experiment.test_share,
    holdoutShare: experiment.holdout_share,
  };
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="sm">
        <Text component="h2" fw={600}>
          {t('title')}
        </Text>
        <Button component={Link} to={ui.getExperimentPath(id)} size="compact-sm" variant="default">
          {t('broadcasts:experiment.edit')}
        </Button>
      </Group>
      <Stack gap="sm">
        <ExperimentBar shares={shares} recipientCount={recipientCount} />
        {recipientCount !== undefined && recipientCount > 0 && (
          <VisibleDifference
            shares={shares}
            recipientCount={recipientCount}
            metric={experiment.metric}
            rate={experiment.baseline}
          />
        )}
      </Stack>
    </Paper>
  );
}
