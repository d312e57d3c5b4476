// Facts of a review: who will enter, the senders, and what the workflow would have sent in the last
// 30 days.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { useSenders } from '../../sms/web/index.ts';
import { StepIcon } from './icons.tsx';
import { getStepData } from './paths.ts';
import { api } from './queries.ts';
import classes from './review-dialog.module.css';
import { useBuilder } from './use-builder.ts';
import { useStepTexts } from './step-texts.ts';

function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={`review-${id}`}>
      <Text component="h3" id={`review-${id}`} fw={600} mt={0} mb="xs">
        {title}
      </Text>
      {children}
    </section>
  );
}

export function Entry() {
  const t = useTexts('workflows');
  const { percent } = useFormats();
  const { workflow } = useBuilder();
  const { getStepName, getStepSummary } = useStepTexts();
  const { settings, people } = workflow;
  const trigger = workflow.steps.find((step) => step.type === 'trigger');
  const summaryLines = [
    settings.entry_conditions.length > 0 &&
      t('review.conditions', { count: settings.entry_conditions.length }),
    settings.reentry === 'days'
      ? t('review.againDays', { count: settings.reentry_days })
      : t('review.again', { rule: t(`reentry.${settings.reentry}`) }),
    settings.holdout > 0 && t('review.holdout', { share: percent(settings.holdout / 100) }),
    people.inside > 0 && t('activate.message', { count: people.inside }),
    t('review.now'),
  ].filter((summaryLine) => summaryLine !== false);
  return (
    <Section id="entry" title={t('review.entry')}>
      {trigger && (
        <div className={classes.trigger}>
          <StepIcon type="trigger" />
          <div>
            <Text size="sm" fw={600}>
              <bdi>{getStepName(trigger)}</bdi>
            </Text>
            <Text size="sm" c="dimmed">
              <bdi>{getStepSummary(trigger)}</bdi>
            </Text>
          </div>
        </div>
      )}
      <ul className={classes.facts}>
        {summaryLines.map((summaryLine) => (
          <li key={summaryLine}>{summaryLine}</li>
        ))}
      </ul>
    </Section>
  );
}

/** Each sender with the number of steps that send from it. */
export function Senders() {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const phones = useSenders().data?.data ?? [];
  const emails = Map.groupBy(
    workflow.steps.filter((step) => step.type === 'EMAIL' && getStepData(step, 'EMAIL').from_email),
    (step) => {
      const { from_name: name, from_email: email = '' } = getStepData(step, 'EMAIL');
      return [name, `<${toUnicodeDomain(email)}>`].filter(Boolean).join(' ');
    },
  );
  const numbers = Map.groupBy(
    workflow.steps.filter((step) => step.type === 'SMS'),
    (step) => phones.find(({ id }) => id === getStepData(step, 'SMS').phone)?.value,
  );
  const rows = [
    ...[...emails].map(([sender, steps]) => ({
      sender,
      count: t('review.emails', { count: steps.length }),
    })),
    ...[...numbers].flatMap(([sender, steps]) =>
      sender === undefined ? [] : [{ sender, count: t('review.sms', { count: steps.length }) }],
    ),
  ];
  if (rows.length === 0) return null;
  return (
    <Section id="senders" title={t('review.senders')}>
      <ul className={classes.rows}>
        {rows.map(({ sender, count }) => (
          <li key={sender}>
            <bdi>{sender}</bdi>
            <Text component="span" size="sm" c="dimmed">
              {count}
            </Text>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The forecast is optional: a failure is not shown and does not prevent activation. */
export function ExpectedResults() {
  const t = useTexts('workflows');
  const { number } = useFormats();
  const { workflow } = useBuilder();
  const { getStepName, getStepSummary } = useStepTexts();
  const forecast = useQuery({
    ...api.query('GET /client-api/api/workflows/{id}/forecast', { params: { id: workflow.id } }),
    staleTime: 0,
    retry: false,
  });
  if (forecast.isLoadingError) return null;
  const result = forecast.data?.data;
  const nameStep = (id: string) => {
    const step = workflow.steps.find((step) => step.id === id);
    return step ? [getStepName(step), getStepSummary(step)].filter(Boolean).join(' · ') : '–';
  };
  return (
    <Section id="forecast" title={t('review.forecast')}>
      {!result ? (
        <LoadingState rows={2} />
      ) : !result.is_known ? (
        <Text size="sm">{t('forecast.unknown')}</Text>
      ) : (
        <>
          <Text size="sm">
            {t('forecast.entered', { count: result.entered, days: number(result.days) })}
          </Text>
          <ul className={classes.rows}>
            {result.messages.map(({ step_id: id, people }) => (
              <li key={id}>
                <bdi>{nameStep(id)}</bdi>
                <Text component="span" size="sm" c="dimmed">
                  {t('review.messages', { count: people, number: number(people) })}
                </Text>
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}
