// Panel of the selected step: title, settings, note, missing settings. In a draft workflow, changes
// are saved automatically; in an active one, an alert shows how many people a change affects, with
// buttons to apply or discard it.
import {
  Alert,
  Anchor,
  Button,
  Group,
  Paper,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { WorkflowStep } from '../../contract.ts';
import { MAX_NOTE_LENGTH, MAX_TITLE_LENGTH } from '../../shared.ts';
import { useStepFigures } from '../canvas/step-figures.tsx';
import { StepIcon } from '../icons.tsx';
import { MessageFigures } from '../message-figures.tsx';
import { useMissingText } from '../missing-setting-texts.ts';
import { getStepKind } from '../paths.ts';
import { buildStepReportPath } from '../queries.ts';
import { useBuilder } from '../use-builder.ts';
import { ActionForm } from './action-form.tsx';
import { ConditionForm } from './condition-form.tsx';
import { DelayForm } from './delay-form.tsx';
import { EmailForm } from './email-form.tsx';
import { Recount } from './recount.tsx';
import { SmsForm } from './sms-form.tsx';
import { TriggerForm } from './trigger-form.tsx';
import { type StepDraft, useStepDraft } from './use-step-draft.ts';

export default function StepPanel({ step }: { step: WorkflowStep }) {
  const t = useTexts('workflows');
  const { isActive, edits } = useBuilder();
  const describeMissing = useMissingText();
  const draft = useStepDraft(step);
  const { data, change } = draft;
  const isFixed = step.type === 'trigger' && isActive;
  return (
    <Stack gap="md">
      <Group gap="sm" wrap="nowrap">
        <StepIcon type={getStepKind(step)} />
        <Text component="h2" fw={600} m={0}>
          {t(`step.${getStepKind(step)}`)}
        </Text>
      </Group>
      {isFixed && <Alert color="gray">{t('triggerForm.fixed')}</Alert>}
      {!step.complete && !draft.isDirty && (
        <Alert color="warning" role="status">
          {describeMissing(step)}
        </Alert>
      )}
      {step.warnings.map((warning) => (
        <Alert key={warning} color="warning">
          {t(`problem.${warning}`)}
        </Alert>
      ))}
      <fieldset disabled={isFixed} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
        <Stack gap="md">
          <Form step={step} draft={draft} />
          <TextInput
            label={t('panel.title')}
            description={t('panel.titleHint')}
            maxLength={MAX_TITLE_LENGTH}
            dir="auto"
            value={(data.title as string | undefined) ?? ''}
            onChange={(event) => change({ title: event.currentTarget.value || undefined })}
          />
          <Textarea
            label={t('panel.note')}
            description={t('panel.noteHint')}
            autosize
            minRows={2}
            maxRows={6}
            maxLength={MAX_NOTE_LENGTH}
            dir="auto"
            value={(data.note as string | undefined) ?? ''}
            onChange={(event) => change({ note: event.currentTarget.value || undefined })}
          />
        </Stack>
      </fieldset>
      <SentFigures step={step} />
      {step.type === 'delay' && step.here > 0 && !draft.isDirty && <Recount step={step} />}
      {(isActive || edits[step.id] !== undefined) && draft.isDirty && (
        <Apply step={step} draft={draft} />
      )}
    </Stack>
  );
}

/** Statistics of a message step that has sent messages, with a link to the report. */
function SentFigures({ step }: { step: WorkflowStep }) {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const stepFigures = useStepFigures(step);
  if (!stepFigures?.figures || stepFigures.figures.sent === 0) return null;
  return (
    <Paper withBorder p="sm">
      <Stack gap="sm">
        <MessageFigures report={stepFigures.figures} currentCount={stepFigures.here} isNarrow />
        <Anchor component={Link} to={buildStepReportPath(workflow.id, step)} size="sm">
          {t('report.full')}
        </Anchor>
      </Stack>
    </Paper>
  );
}

export interface StepFormProps {
  step: WorkflowStep;
  draft: StepDraft;
}

function Form(props: StepFormProps) {
  switch (props.step.type) {
    case 'trigger':
      return <TriggerForm {...props} />;
    case 'delay':
      return <DelayForm {...props} />;
    case 'CONDITION':
      return <ConditionForm {...props} />;
    case 'ACTION':
      return <ActionForm {...props} />;
    case 'SMS':
      return <SmsForm {...props} />;
    default:
      return <EmailForm {...props} />;
  }
}

/**
 * The alert about an edit that is not applied yet: its effect on people at the step, and buttons to
 * apply or discard it.
 */
function Apply({ step, draft }: StepFormProps) {
  const t = useTexts('workflows');
  const { here } = step;
  const liveText =
    here === 0
      ? t('live.noSubscribers')
      : t(step.type === 'delay' ? 'live.delay' : 'live.step', { count: here });
  return (
    <Alert color="warning" title={t('edits.badge')} role="status">
      <Text size="sm">{liveText}</Text>
      <Group mt="sm" gap="xs">
        <Button size="xs" loading={draft.isSaving} onClick={() => void draft.save()}>
          {t('live.apply')}
        </Button>
        <Button size="xs" variant="default" onClick={draft.discard}>
          {t('live.discard')}
        </Button>
      </Group>
    </Alert>
  );
}
