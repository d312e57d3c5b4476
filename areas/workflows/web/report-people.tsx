// The runs of a workflow, inside or ended, each with the reason for its state and the steps passed.
import { Button, Group, Pagination, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { WorkflowRun } from '../contract.ts';
import { useNoteText } from './notes.ts';
import { api, type WholeWorkflow } from './queries.ts';
import { useStepTexts } from './step-texts.ts';

const STATES = ['inside', 'ended'] as const;

export function ReportRuns({ workflow }: { workflow: WholeWorkflow }) {
  const t = useTexts('workflows');
  const [state, setState] = useState<(typeof STATES)[number]>('inside');
  const [page, setPage] = useState(1);
  const [input, setInput] = useState('');
  const [search] = useDebouncedValue(input.trim(), 250);
  const runs = useQuery({
    ...api.query('GET /client-api/api/workflows/{id}/people', {
      params: { id: workflow.id },
      query: { state, page, ...(search && { search }) },
    }),
    placeholderData: keepPreviousData,
  });
  const pages = runs.data?.meta?.pageCount ?? 1;
  return (
    <section aria-labelledby="people">
      <Group justify="space-between" mb="sm">
        <Text component="h2" id="people" fw={600} m={0}>
          {t('report.people')}
        </Text>
        <FindField
          value={input}
          onChange={(value) => {
            setInput(value);
            setPage(1);
          }}
        />
        <SegmentedControl
          size="xs"
          aria-label={t('report.people')}
          value={state}
          onChange={(value) => {
            setState(value as (typeof STATES)[number]);
            setPage(1);
          }}
          data={STATES.map((value) => ({ value, label: t(`report.${value}`) }))}
        />
      </Group>
      {runs.isError && !runs.data ? (
        <FailedState error={runs.error} retry={() => void runs.refetch()} />
      ) : !runs.data ? (
        <LoadingState rows={3} />
      ) : runs.data.data.length === 0 ? (
        <Text c="dimmed" size="sm">
          {t('report.noSubscribers')}
        </Text>
      ) : (
        <Stack gap="sm">
          {runs.data.data.map((run) => (
            <RunRow key={`${run.subscriber_id} ${run.entered_at}`} run={run} workflow={workflow} />
          ))}
          {pages > 1 && <Pagination size="sm" total={pages} value={page} onChange={setPage} />}
        </Stack>
      )}
    </section>
  );
}

function FindField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useTexts('workflows');
  return (
    <TextInput
      size="xs"
      type="search"
      aria-label={t('report.find')}
      placeholder={t('report.find')}
      maxLength={100}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function RunRow({ run, workflow }: { run: WorkflowRun; workflow: WholeWorkflow }) {
  const t = useTexts('workflows');
  const { dateTime, number } = useFormats();
  const { getStepName, getStepSummary } = useStepTexts();
  const formatNote = useNoteText();
  const [isOpen, setOpen] = useState(false);
  const nameStep = (id: string) => {
    const step = workflow.steps.find((step) => step.id === id);
    if (!step) return t('report.gone');
    // A summary distinguishes steps without a title, which have the name of their kind.
    const summary = step.data.title ? '' : getStepSummary(step);
    return summary ? `${getStepName(step)} (\u2068${summary}\u2069)` : getStepName(step);
  };
  const name = toUnicodeDomain(run.email ?? '–');
  const until = run.wake_at && t('why.until', { time: dateTime(run.wake_at) });
  const now = run.outcome
    ? [formatNote(run.outcome), run.ended_at && dateTime(run.ended_at)]
    : [run.held_for && formatNote(run.held_for), until];
  const passText = run.pass > 1 && t('report.pass', { pass: number(run.pass) });
  const description = [nameStep(run.step_id), ...now, passText].filter(Boolean).join(' · ');
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          <bdi>{name}</bdi>
          <Text component="span" size="sm" c="dimmed">
            {` · ${description}`}
          </Text>
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={isOpen}
          aria-label={t('why.named', { name })}
          onClick={() => setOpen(!isOpen)}
        >
          {t('why.show')}
        </Button>
      </Group>
      {isOpen && (
        <ol>
          <li>
            {dateTime(run.entered_at)} · {t('why.entered')}
          </li>
          {run.trail.map((entry, index) => (
            <li key={`${entry.step_id} ${index}`}>
              {dateTime(entry.at)} · {nameStep(entry.step_id)} · {formatNote(entry.note)}
            </li>
          ))}
          {run.ended_at && (
            <li>
              {dateTime(run.ended_at)} · {formatNote(run.outcome ?? '')}
            </li>
          )}
        </ol>
      )}
    </div>
  );
}
