// Dry run: takes one person through the workflow with a simulated clock and shows each email and
// each step's time and reason. Nothing is sent or stored.
import { Button, Checkbox, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { isEmail } from '#platform/web/validators.ts';
import { type EmailActivity } from '../../shared.ts';
import { api } from '../queries.ts';
import { useBuilder } from '../use-builder.ts';
import { useStepTexts } from '../step-texts.ts';
import { TrialSubscriber } from './trial-person.tsx';
import { TrialSteps } from './trial-steps.tsx';

const SUBSCRIBER_KINDS = ['subscriber', 'made'] as const;
const ACTIVITY_CHOICES = ['opened', 'clicked'] as const;

export default function TrialPanel() {
  const t = useTexts('workflows');
  const { workflow, trial: currentTrial, setTrial } = useBuilder();
  const [person, setPerson] = useState<(typeof SUBSCRIBER_KINDS)[number]>('subscriber');
  const [subscriber, setSubscriber] = useState<string | null>(null);
  const [email, setEmail] = useState('');
  const [at, setAt] = useState('');
  const [doneSteps, setDone] = useState<ReadonlySet<string>>(new Set());
  const isReady = person === 'subscriber' ? subscriber !== null : isEmail(email.trim());
  const trial = useAction(async () => {
    const { data } = await api('POST /client-api/api/workflows/{id}/dry_run', {
      params: { id: workflow.id },
      body: {
        ...(person === 'subscriber'
          ? { subscriber: subscriber ?? '' }
          : { person: { email: email.trim() } }),
        ...(at && { at: new Date(at).toISOString() }),
        assumptions: [...doneSteps].map(parseAssumption),
      },
    });
    setTrial(data);
  });
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('trial.text')}
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) trial.mutate(undefined);
        }}
      >
        <Stack gap="sm">
          <SegmentedControl
            size="xs"
            aria-label={t('trial.who')}
            value={person}
            onChange={(value) => setPerson(value === 'made' ? 'made' : 'subscriber')}
            data={SUBSCRIBER_KINDS.map((value) => ({ value, label: t(`trial.${value}`) }))}
          />
          {person === 'subscriber' ? (
            <TrialSubscriber value={subscriber} onChange={setSubscriber} />
          ) : (
            <EmailField value={email} onChange={setEmail} />
          )}
          <StartField value={at} onChange={setAt} />
          <Assumptions doneSteps={doneSteps} onChange={setDone} />
          <Group>
            <Button type="submit" loading={trial.isPending} disabled={!isReady}>
              {t('trial.start')}
            </Button>
          </Group>
        </Stack>
      </form>
      {currentTrial && <TrialSteps trial={currentTrial} />}
    </Stack>
  );
}

/** Parses the key of a checkbox into the step and the subscriber's activity. */
function parseAssumption(key: string) {
  const [step_id = '', activity = 'opened'] = key.split(' ');
  return { step_id, activity: activity as EmailActivity };
}

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

function EmailField({ value, onChange }: FieldProps) {
  const t = useTexts('workflows');
  return (
    <TextInput
      type="email"
      dir="ltr"
      label={t('trial.email')}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function StartField({ value, onChange }: FieldProps) {
  const t = useTexts('workflows');
  return (
    <TextInput
      type="datetime-local"
      dir="ltr"
      label={t('trial.at')}
      description={t('trial.atHint')}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Checkboxes for the emails that the person is assumed to open or click. */
function Assumptions({
  doneSteps,
  onChange,
}: {
  doneSteps: ReadonlySet<string>;
  onChange: (doneSteps: ReadonlySet<string>) => void;
}) {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const { getStepName, getStepSummary } = useStepTexts();
  const emails = workflow.steps.filter((step) => step.type === 'EMAIL');
  if (emails.length === 0) return null;
  return (
    <details>
      <summary>{t('trial.assume')}</summary>
      <Stack gap="xs" mt="xs">
        {emails.map((step) => (
          <Group key={step.id} justify="space-between" gap="xs">
            <Text size="sm">
              <bdi>{`${getStepName(step)} · ${getStepSummary(step)}`}</bdi>
            </Text>
            <Group gap="sm">
              {ACTIVITY_CHOICES.map((activity) => {
                const key = `${step.id} ${activity}`;
                return (
                  <Checkbox
                    key={activity}
                    size="xs"
                    label={t(`trial.${activity}`)}
                    aria-label={t(`trial.${activity}Named`, { name: getStepSummary(step) })}
                    checked={doneSteps.has(key)}
                    onChange={(event) => {
                      const next = new Set(doneSteps);
                      if (event.currentTarget.checked) next.add(key);
                      else next.delete(key);
                      onChange(next);
                    }}
                  />
                );
              })}
            </Group>
          </Group>
        ))}
      </Stack>
    </details>
  );
}
