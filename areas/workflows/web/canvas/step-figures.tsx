// What became of people at a step, on the canvas: a bar as long as their share of all who entered, and what a message
// of it did.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/formats.ts';
import { useTexts } from '#platform/web/texts.ts';
import type { Step } from '../../contract.ts';
import { api } from '../queries.ts';
import { useBuilder } from '../use-builder.ts';
import classes from './canvas.module.css';

const FRESH_MS = 10_000;

/** Nothing where nobody has entered yet. */
export function useStepFigures(step: Step) {
  const { workflow } = useBuilder();
  const report = useQuery({
    ...api.query('GET /client-api/api/workflows/{id}/report', { params: { id: workflow.id } }),
    enabled: workflow.people.entered > 0,
    staleTime: FRESH_MS,
    // Without them the canvas is whole.
    retry: false,
  });
  const own = report.data?.data.steps.find((one) => one.step_id === step.id);
  const all = report.data?.data.entered ?? 0;
  if (!own || all === 0) return undefined;
  // Who goes through several times comes several times, and so does who enters.
  return { ...own, share: Math.min(1, own.entered / all) };
}

export function StepFigures({
  figures: { entered, share, figures },
}: {
  figures: NonNullable<ReturnType<typeof useStepFigures>>;
}) {
  const t = useTexts('workflows');
  const { number, percent } = useFormats();
  const words = figures
    ? t('builder.sent', {
        sent: number(figures.sent),
        opened: percent(figures.open_rate / 100),
        clicked: percent(figures.click_rate / 100),
      })
    : t('builder.came', { people: number(entered), share: percent(share) });
  return (
    <>
      <Text component="span" size="xs" truncate display="block" className={classes.figures}>
        {words}
      </Text>
      <span className={classes.funnel} aria-hidden="true">
        <span style={{ inlineSize: `${share * 100}%` }} />
      </span>
    </>
  );
}

/** What people bought after its messages, a sum for each currency; nothing where they bought nothing. */
export function StepEarned({
  figures: { earned },
}: {
  figures: NonNullable<ReturnType<typeof useStepFigures>>;
}) {
  const t = useTexts('workflows');
  const { number, money } = useFormats();
  const sum = (earned ?? [])
    .map(({ revenue, currency }) => (currency === '' ? number(revenue) : money(revenue, currency)))
    .join(' · ');
  if (sum === '') return null;
  return (
    <span className={classes.earned} title={t('builder.earned', { sum })}>
      {t('builder.earned', { sum })}
    </span>
  );
}
