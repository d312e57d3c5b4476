// The recipients step: included and excluded groups and segments, and the resulting number of
// subscribers, each counted once. It saves on each change.
import { Button, Collapse, Group, Paper, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, Suspense, useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ExperimentSummary } from './experiment/late-summary.ts';
import { RecipientCount } from './recipient-count.tsx';
import { useRecipientsChoice } from './recipients-choice.ts';
import { RecipientsList } from './recipients-list.tsx';
import classes from './recipients-screen.module.css';
import { StepPage } from './steps.tsx';
import type { Broadcast, BroadcastUi } from './ui.ts';

interface RecipientsStepProps {
  ui: BroadcastUi;
  campaign: Broadcast;
  /** Shown instead of the selection if it cannot be changed. */
  fixedRecipients?: ReactNode;
  /** Shown below the exclusions once recipients are selected. */
  hint?: ReactNode;
}

export function RecipientsStep({ ui, campaign, fixedRecipients, hint }: RecipientsStepProps) {
  const t = useTexts('broadcasts');
  const { id } = campaign;
  const navigate = useNavigate();
  const choice = useRecipientsChoice(ui, campaign);
  const isChosen = choice.isChosen || fixedRecipients !== undefined;
  const next = async () => {
    if (await choice.waitUntilSaved()) await navigate({ to: ui.getStepPath(id, 'review') });
  };
  return (
    <StepPage
      ui={ui}
      campaign={campaign}
      step="recipients"
      actions={
        <Button disabled={!isChosen} onClick={() => void next()}>
          {t('recipients.next')}
        </Button>
      }
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" maw={1200} className={classes.grid}>
        <Stack gap="md">
          {fixedRecipients ?? <IncludedRecipients ui={ui} choice={choice} />}
          <ExcludedRecipients ui={ui} choice={choice} />
          {isChosen && !choice.isSaving && <Suspense>{hint}</Suspense>}
          {campaign.experiment && (
            <Suspense>
              <ExperimentSummary ui={ui} campaign={campaign} />
            </Suspense>
          )}
        </Stack>
        <Paper withBorder p="md" className={classes.count}>
          <Text component="h2" fw={600} mb="sm">
            {t('recipients.selected')}
          </Text>
          {isChosen ? (
            <RecipientCount ui={ui} id={id} isWaiting={choice.isSaving} />
          ) : (
            <Text size="sm" c="dimmed">
              {t('recipients.none')}
            </Text>
          )}
        </Paper>
      </SimpleGrid>
    </StepPage>
  );
}

type SelectionProps = { ui: BroadcastUi; choice: ReturnType<typeof useRecipientsChoice> };

function IncludedRecipients({ ui, choice }: SelectionProps) {
  const t = useTexts('broadcasts');
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="sm">
        <Text component="h2" fw={600}>
          {t('recipients.include')}
        </Text>
        <Switch
          label={t('recipients.everybody')}
          checked={choice.toAll}
          onChange={(event) => choice.setToAll(event.currentTarget.checked)}
        />
      </Group>
      {choice.toAll ? (
        <Text size="sm" c="dimmed">
          {t('recipients.everybodyHint')}
        </Text>
      ) : (
        <RecipientsList
          channel={ui.channel}
          label={t('recipients.include')}
          selected={choice.included}
          onChange={choice.include}
        />
      )}
    </Paper>
  );
}

function ExcludedRecipients({ ui, choice }: SelectionProps) {
  const t = useTexts('broadcasts');
  const count = choice.excluded.groups.length + choice.excluded.segments.length;
  const [isOpen, setOpen] = useState(count > 0);
  return (
    <Paper withBorder p="md">
      <Button
        variant="subtle"
        color="gray"
        px={0}
        aria-expanded={isOpen}
        className={classes.more}
        rightSection={<IconChevronDown size={16} stroke={1.75} />}
        onClick={() => setOpen((is) => !is)}
      >
        {count > 0 ? t('recipients.excludedSome', { count }) : t('recipients.exclude')}
      </Button>
      <Collapse expanded={isOpen}>
        <Text size="sm" c="dimmed" mb="sm">
          {t('recipients.excludeHint')}
        </Text>
        {/* Mounted only while open so that a closed panel does not load the lists. */}
        {isOpen && (
          <RecipientsList
            channel={ui.channel}
            label={t('recipients.exclude')}
            selected={choice.excluded}
            onChange={choice.exclude}
          />
        )}
      </Collapse>
    </Paper>
  );
}
