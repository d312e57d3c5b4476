// A step on the canvas: name, summary, problem, statistics and number of people.
import { Text } from '@mantine/core';
import { IconAlertTriangle, IconPencil, IconUsers } from '@tabler/icons-react';
import { Handle, Position } from '@xyflow/react';
import type { KeyboardEvent } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { DIRECTION } from '#platform/web/texts/languages.ts';
import { useSession } from '#platform/web/session/session.ts';
import { getCurrentLanguage, useTexts } from '#platform/web/texts/texts.ts';
import { RowMenu } from '#platform/web/ui/row-menu.tsx';
import type { WorkflowStep } from '../../contract.ts';
import { StepIcon } from '../icons.tsx';
import { getStepKind } from '../paths.ts';
import { useStepActions } from '../step-actions.ts';
import { isPlaceholder, useBuilder } from '../use-builder.ts';
import { useStepTexts } from '../step-texts.ts';
import classes from './canvas.module.css';
import { StepEarned, StepFigures, useStepFigures } from './step-figures.tsx';

export function StepNode({ data: { step } }: { data: { step: WorkflowStep } }) {
  const t = useTexts('workflows');
  const { selectedStep, selectStep, carriedStep, trial } = useBuilder();
  const { getStepName } = useStepTexts();
  const isNew = isPlaceholder(step);
  const isVisited = trial?.steps.some((trialStep) => trialStep.step_id === step.id);
  const { actions, remove } = useStepActions(step);
  const figures = useStepFigures(step);
  const name = getStepName(step);
  const problem = step.problem
    ? t([`problem.${step.problem}`, 'problem.failed'])
    : step.complete
      ? step.warnings[0] && t(`warning.${step.warnings[0]}`)
      : t('builder.incomplete');
  return (
    <div
      className={classes.step}
      dir={DIRECTION[getCurrentLanguage()]}
      data-chosen={selectedStep?.id === step.id || undefined}
      data-carried={carriedStep?.step.id === step.id || undefined}
      data-wrong={problem !== undefined || undefined}
      data-visited={isVisited || undefined}
      data-new={isNew || undefined}
    >
      <Handle type="target" position={Position.Top} className={classes.handle} />
      <button
        type="button"
        id={`step-${step.id}`}
        className={classes.open}
        disabled={isNew}
        aria-pressed={selectedStep?.id === step.id}
        onClick={() => selectStep(step.id)}
        onKeyDown={(event) => {
          if (event.key === 'Delete' && step.type !== 'trigger') remove();
          else walk(event);
        }}
      >
        <StepIcon type={getStepKind(step)} />
        <StepWords step={step} />
      </button>
      {step.type !== 'trigger' && !isNew && (
        <span className={classes.menu}>
          <RowMenu row={step} name={name} actions={actions} />
        </span>
      )}
      <StepMarks step={step} problem={problem} figures={figures} />
      <Handle type="source" position={Position.Bottom} className={classes.handle} />
    </div>
  );
}

function StepWords({ step }: { step: WorkflowStep }) {
  const t = useTexts('workflows');
  const { edits } = useBuilder();
  const { getStepName, getStepSummary } = useStepTexts();
  const figures = useStepFigures(step);
  return (
    <span className={classes.words}>
      <Text component="span" size="sm" fw={600} truncate display="block">
        {getStepName(step)}
      </Text>
      <Text
        component="span"
        size="xs"
        c="dimmed"
        lineClamp={figures ? 1 : 2}
        className={classes.summary}
      >
        <bdi>
          {isPlaceholder(step)
            ? t('builder.adding')
            : getStepSummary({ ...step, data: edits[step.id] ?? step.data })}
        </bdi>
      </Text>
      {figures && <StepFigures figures={figures} />}
    </span>
  );
}

/**
 * Below the card: the time when the dry run reaches the step, an unapplied edit, a problem,
 * revenue, and people at the step.
 */
function StepMarks({
  step,
  problem,
  figures,
}: {
  step: WorkflowStep;
  problem: string | undefined;
  figures: ReturnType<typeof useStepFigures>;
}) {
  const t = useTexts('workflows');
  const { number } = useFormats();
  const { edits, trial } = useBuilder();
  const { account } = useSession();
  const { dateTime } = useFormats();
  const visit = trial?.steps.find((trialStep) => trialStep.step_id === step.id);
  return (
    <span className={classes.marks}>
      {visit && (
        <span className={classes.here}>
          {t('trial.reached', { time: dateTime(visit.came_at, account.timezone) })}
        </span>
      )}
      {edits[step.id] !== undefined && (
        <span className={classes.wrong}>
          <IconPencil size={14} stroke={1.75} aria-hidden="true" />
          {t('edits.badge')}
        </span>
      )}
      {problem !== undefined && !visit && (
        <span className={classes.wrong} title={problem}>
          <IconAlertTriangle size={14} stroke={1.75} aria-hidden="true" />
          <span className={classes.said}>{problem}</span>
        </span>
      )}
      {figures && <StepEarned figures={figures} />}
      {step.here > 0 && (
        <span className={classes.here} title={t('builder.here', { count: step.here })}>
          <IconUsers size={14} stroke={1.75} aria-hidden="true" />
          <span aria-hidden="true">{number(step.here)}</span>
          <span className={classes.hidden}>{t('builder.here', { count: step.here })}</span>
        </span>
      )}
    </span>
  );
}

/** Arrow keys move the focus to the previous or next step in layout order. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = ARROW_OFFSETS[event.key];
  if (step === undefined) return;
  const stepButtons = [...document.querySelectorAll<HTMLElement>('button[id^="step-"]')];
  const next = stepButtons[stepButtons.indexOf(event.currentTarget) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

const ARROW_OFFSETS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
