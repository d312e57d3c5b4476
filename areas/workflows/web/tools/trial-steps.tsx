// Result of a dry run: step by step with the time, the reason and the email.
import { Alert, Text, Timeline } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { PreviewFrame } from '../../../content/web/index.ts';
import type { WorkflowTrial } from '../../contract.ts';
import { useNoteText } from '../notes.ts';
import { useBuilder } from '../use-builder.ts';
import { useStepTexts } from '../step-texts.ts';

type TrialStep = WorkflowTrial['steps'][number];

export function TrialSteps({ trial }: { trial: WorkflowTrial }) {
  const t = useTexts('workflows');
  const { dateTime } = useFormats();
  const { account } = useSession();
  const { workflow } = useBuilder();
  const { getStepName } = useStepTexts();
  const formatNote = useNoteText();
  if (trial.kept_out !== null)
    return <Alert color="warning">{t('trial.keptOut', { why: formatNote(trial.kept_out) })}</Alert>;
  return (
    <>
      <Timeline active={trial.steps.length} bulletSize={14} lineWidth={2}>
        {trial.steps.map((trialStep, index) => {
          const step = workflow.steps.find(({ id }) => id === trialStep.step_id);
          return (
            <Timeline.Item
              key={`${trialStep.step_id} ${index}`}
              title={step ? getStepName(step) : t(`step.${trialStep.type}`)}
            >
              <Text size="sm" c="dimmed">
                {dateTime(trialStep.came_at, account.timezone)}
                {trialStep.left_at !== null && trialStep.left_at !== trialStep.came_at && (
                  <> → {dateTime(trialStep.left_at, account.timezone)}</>
                )}
                {' · '}
                {formatNote(trialStep.note)}
              </Text>
              {trialStep.email && <EmailPreview email={trialStep.email} />}
            </Timeline.Item>
          );
        })}
      </Timeline>
      <Text size="sm" fw={600} role="status">
        {trial.outcome === null ? t('trial.stillIn') : formatNote(trial.outcome)}
      </Text>
    </>
  );
}

/** The preview frame renders on demand; one per email would be slow. */
function EmailPreview({
  email: { subject, html, text },
}: {
  email: NonNullable<TrialStep['email']>;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <bdi>{subject}</bdi>
      </summary>
      {isOpen &&
        (html === null ? (
          <Text size="sm" dir="auto" style={{ whiteSpace: 'pre-wrap' }}>
            {text}
          </Text>
        ) : (
          <PreviewFrame html={html} height={420} title={subject} />
        ))}
    </details>
  );
}
