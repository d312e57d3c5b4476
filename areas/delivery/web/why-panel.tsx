// Answers 'Why did this subscriber (not) get it?' in a sentence and lists all known events in
// order.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { client } from '#platform/web/api/api.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { type Texts, useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { DeliveryExplanation, whyCalls, WhyStep } from '../why-contract.ts';
import type { WhyAnswer, WhyStepKind } from '../why-answers.ts';
import classes from './why-panel.module.css';

const api = client<typeof whyCalls>();

/** Asks about a campaign, or about a message in the subscriber's history. */
export type WhyQuestion = { subscriber: string } & ({ campaign: string } | { message: string });

export default function WhyPanel({ question }: { question: WhyQuestion }) {
  const query = { subscriber: question.subscriber };
  const whyQuery = useQuery(
    'campaign' in question
      ? api.query('GET /client-api/api/campaigns/{id}/why', {
          params: { id: question.campaign },
          query,
        })
      : api.query('GET /client-api/api/messages/{id}/why', {
          params: { id: question.message },
          query,
        }),
  );
  if (whyQuery.data) return <ExplanationView explanation={whyQuery.data.data} />;
  if (whyQuery.isError)
    return <FailedState error={whyQuery.error} retry={() => void whyQuery.refetch()} />;
  return <LoadingState rows={4} />;
}

type StepTone = ComponentProps<typeof StatusDot>['tone'];

const TONES: Record<WhyAnswer, StepTone> = {
  got: 'success',
  came_back: 'danger',
  waits: 'active',
  on_its_way: 'active',
  refused: 'danger',
  skipped: 'neutral',
  unknown: 'warning',
  left_out: 'neutral',
  not_chosen: 'neutral',
  joined_later: 'neutral',
  not_ready: 'active',
};
const POSITIVE_KINDS: readonly WhyStepKind[] = ['accepted', 'opened', 'clicked'];
const NEGATIVE_KINDS: readonly WhyStepKind[] = [
  'failed',
  'hard_bounce',
  'soft_bounce',
  'complaint',
];

function ExplanationView({ explanation }: { explanation: DeliveryExplanation }) {
  const t = useTexts('feedback');
  return (
    <div className={classes.panel}>
      <Text size="sm" c="dimmed">
        <bdi>{explanation.subject}</bdi>
      </Text>
      <div className={classes.answer}>
        <StatusDot
          tone={TONES[explanation.answer]}
          label={t(`why.answers.${explanation.answer}`)}
        />
      </div>
      <ol className={classes.steps}>
        {explanation.steps.map((step, index) => (
          // The index is the key because the steps never change their order.
          // oxlint-disable-next-line react/no-array-index-key
          <Step key={index} step={step} />
        ))}
      </ol>
      {explanation.is_compacted && (
        <Text size="xs" c="dimmed">
          {t('why.compacted')}
        </Text>
      )}
    </div>
  );
}

function reasonOf({ kind, reason, is_human }: WhyStep, t: Texts): string {
  if (!reason) return is_human === false ? t('why.reasons.machine') : '';
  // This reason pauses a campaign until its owner acts; a single email is retried automatically.
  const isPaused = kind === 'queued' && reason === 'sender_not_verified';
  if (isPaused) return t('why.reasons.campaign_not_verified');
  return t(`why.reasons.${reason}`, { defaultValue: '' });
}

function Step({ step }: { step: WhyStep }) {
  const t = useTexts('feedback');
  const { dateTime, list } = useFormats();
  const reason = reasonOf(step, t);
  const reply = [step.code, step.reply].filter(Boolean).join(' ');
  const subject = [step.names.length > 0 ? list(step.names) : '', reason].filter(Boolean);
  const timeText = step.until
    ? t('why.until', { when: dateTime(step.until) })
    : step.at && dateTime(step.at);
  const tone = POSITIVE_KINDS.includes(step.kind)
    ? 'good'
    : NEGATIVE_KINDS.includes(step.kind)
      ? 'bad'
      : 'plain';
  return (
    <li className={classes.step} data-tone={tone}>
      <div className={classes.line}>
        <span>{t(`why.steps.${step.kind}`)}</span>
        {timeText && <time dateTime={step.until ?? step.at ?? ''}>{timeText}</time>}
      </div>
      {subject.length > 0 && <p>{subject.join(' · ')}</p>}
      {reply && (
        <p className={classes.said}>
          <bdi>{reply}</bdi>
          {step.relay && <span> ({step.relay})</span>}
        </p>
      )}
    </li>
  );
}
