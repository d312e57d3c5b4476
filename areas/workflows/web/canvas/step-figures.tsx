// Statistics of a step on the canvas: a bar showing its share of all entrants, and its message
// results.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { WorkflowStep } from '../../contract.ts';
import { api } from '../queries.ts';
import { useBuilder } from '../use-builder.ts';
import classes from './canvas.module.css';

const FRESH_MS = 10_000;

/** Returns undefined before the first entry and until the report is loaded. */
export function useStepFigures(step: WorkflowStep) {
  const { workflow } = useBuilder();
  const report = useQuery({
    ...api.query('GET /client-api/api/workflows/{id}/report', { params: { id: workflow.id } }),
    enabled: workflow.people.entered > 0,
    staleTime: FRESH_MS,
    // The canvas is usable without statistics, so a failure is not retried.
    retry: false,
  });
  const stepFigures = report.data?.data.steps.find((figures) => figures.step_id === step.id);
  const enteredCount = report.data?.data.entered ?? 0;
  if (!stepFigures || enteredCount === 0) return undefined;
  // A person with several runs counts several times in both numbers.
  return { ...stepFigures, share: Math.min(1, stepFigures.entered / enteredCount) };
}

export function StepFigures({
  figures: { entered, share, figures },
}: {
  figures: NonNullable<ReturnType<typeof useStepFigures>>;
}) {
  const t = useTexts('workflows');
  const { number, percent } = useFormats();
  const lines = figures
    ? [
        t('builder.sent', { sent: number(figures.sent) }),
        t('builder.engaged', {
          opened: percent(figures.open_rate / 100),
          clicked: percent(figures.click_rate / 100),
        }),
      ]
    : [
        t('builder.came', { people: number(entered) }),
        t('builder.ofAll', { share: percent(share) }),
      ];
  return (
    <>
      {lines.map((line) => (
        <Text
          key={line}
          component="span"
          size="xs"
          truncate
          display="block"
          className={classes.figures}
        >
          {line}
        </Text>
      ))}
      <span className={classes.funnel} aria-hidden="true">
        <span style={{ inlineSize: `${share * 100}%` }} />
      </span>
    </>
  );
}

/**
 * The revenue attributed to the messages of a step, by currency. Renders nothing without revenue.
 */
export function StepEarned({
  figures: { earned },
}: {
  figures: NonNullable<ReturnType<typeof useStepFigures>>;
}) {
  const t = useTexts('workflows');
  const { number, money } = useFormats();
  const revenueText = (earned ?? [])
    .map(({ revenue, currency }) => (currency === '' ? number(revenue) : money(revenue, currency)))
    .join(' · ');
  if (revenueText === '') return null;
  return (
    <span className={classes.earned} title={t('builder.earned', { sum: revenueText })}>
      {t('builder.earned', { sum: revenueText })}
    </span>
  );
}
