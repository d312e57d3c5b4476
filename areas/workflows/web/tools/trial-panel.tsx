// Takes one person through the workflow by a moved clock: each step with its time and reason, each email as they
// would get it. Nothing is sent or kept.
import { Alert, Button, Group, Stack, Text, TextInput, Timeline } from '@mantine/core';
import '@mantine/core/styles/Timeline.layer.css';
import { useState } from 'react';
import { useFormats } from '#platform/web/formats.ts';
import { useAct } from '#platform/web/queries.ts';
import { useSession } from '#platform/web/session.ts';
import { useTexts } from '#platform/web/texts.ts';
import { isEmail } from '#platform/web/validators.ts';
import type { WorkflowTrial } from '../../contract.ts';
import { useNoteWords } from '../notes.ts';
import { api } from '../queries.ts';
import { useBuilder } from '../use-builder.ts';
import { useStepWords } from '../words.ts';

export default function TrialPanel() {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const [email, setEmail] = useState('');
  const trial = useAct(async () => {
    const address = email.trim();
    const { data } = await api('POST /client-api/api/workflows/{id}/dry_run', {
      params: { id: workflow.id },
      body: { person: { email: address } },
    });
    return data;
  });
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('trial.text')}
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isEmail(email.trim())) trial.mutate(undefined);
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            flex={1}
            miw={220}
            type="email"
            dir="ltr"
            label={t('trial.email')}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            data-autofocus
          />
          <Button type="submit" loading={trial.isPending} disabled={!isEmail(email.trim())}>
            {t('trial.start')}
          </Button>
        </Group>
      </form>
      {trial.data && <Steps trial={trial.data} />}
    </Stack>
  );
}

function Steps({ trial }: { trial: WorkflowTrial }) {
  const t = useTexts('workflows');
  const { dateTime } = useFormats();
  const { account } = useSession();
  const { workflow } = useBuilder();
  const { nameOf } = useStepWords();
  const noteOf = useNoteWords();
  if (trial.kept_out !== null)
    return <Alert color="warning">{t('trial.keptOut', { why: noteOf(trial.kept_out) })}</Alert>;
  return (
    <>
      <Timeline active={trial.steps.length} bulletSize={14} lineWidth={2}>
        {trial.steps.map((one, index) => {
          const step = workflow.steps.find(({ id }) => id === one.step_id);
          return (
            <Timeline.Item
              key={`${one.step_id} ${index}`}
              title={step ? nameOf(step) : t(`step.${one.type}`)}
            >
              <Text size="sm" c="dimmed">
                {dateTime(one.came_at, account.timezone)} · {noteOf(one.note)}
              </Text>
              {one.email && (
                <details>
                  <summary>
                    <bdi>{one.email.subject}</bdi>
                  </summary>
                  <Text size="sm" dir="auto" style={{ whiteSpace: 'pre-wrap' }}>
                    {one.email.text}
                  </Text>
                </details>
              )}
            </Timeline.Item>
          );
        })}
      </Timeline>
      <Text size="sm" fw={600}>
        {trial.outcome === null ? t('trial.stillIn') : noteOf(trial.outcome)}
      </Text>
    </>
  );
}
