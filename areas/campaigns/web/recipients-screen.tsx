// Step 3: groups and segments in, groups and segments out, and how many that makes: each person once.
// Saves on each tick.
import { Button, Collapse, Group, Paper, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { Navigate, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '#platform/web/texts.ts';
import { useParam } from '#platform/web/use-param.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { Campaign } from '../contract.ts';
import { stepPath } from './paths.ts';
import { useCampaign } from './queries.ts';
import { useRecipientsChoice } from './recipients-choice.ts';
import { RecipientsList } from './recipients-list.tsx';
import classes from './recipients-screen.module.css';
import { RecipientCount } from './recipient-count.tsx';
import { StepPage } from './steps.tsx';

export default function RecipientsScreen() {
  const id = useParam('campaign');
  const campaign = useCampaign(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={6} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT') return <Navigate to={stepPath(id, 'review')} replace />;
  return <Choice campaign={data} />;
}

function Choice({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { id } = campaign;
  const navigate = useNavigate();
  const choice = useRecipientsChoice(campaign);
  const isChosen = choice.isChosen || campaign.resend_of !== null;
  const next = async () => {
    if (await choice.settled()) await navigate({ to: stepPath(id, 'review') });
  };
  return (
    <StepPage
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
          {campaign.resend_of === null ? <Included choice={choice} /> : <Unopened />}
          <Excluded choice={choice} />
        </Stack>
        <Paper withBorder p="md" className={classes.count}>
          <Text component="h2" fw={600} mb="sm">
            {t('recipients.selected')}
          </Text>
          {isChosen ? (
            <RecipientCount id={id} isWaiting={choice.isSaving} />
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

type Choosing = { choice: ReturnType<typeof useRecipientsChoice> };

function Included({ choice }: Choosing) {
  const t = useTexts('campaigns');
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
          label={t('recipients.include')}
          ticked={choice.included}
          onChange={choice.include}
        />
      )}
    </Paper>
  );
}

/** Whom a resend goes to is no choice of its own. */
function Unopened() {
  const t = useTexts('campaigns');
  return (
    <Paper withBorder p="md">
      <Text size="sm">{t('recipients.unopened')}</Text>
    </Paper>
  );
}

function Excluded({ choice }: Choosing) {
  const t = useTexts('campaigns');
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
        <RecipientsList
          label={t('recipients.exclude')}
          ticked={choice.excluded}
          onChange={choice.exclude}
        />
      </Collapse>
    </Paper>
  );
}
