// Checks of a review, step by step, each with a link to resolve it. Missing settings and errors of
// emails prevent activation; warnings do not.
import { Alert, Text, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconChevronRight } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import {
  type EmailRef,
  type EditorFinding,
  Findings,
  readFindings,
} from '../../content/web/index.ts';
import type { WorkflowStep } from '../contract.ts';
import { useMissingText } from './missing-setting-texts.ts';
import { buildEmailPath, STEP_EMAILS } from './queries.ts';
import classes from './review-dialog.module.css';
import { useBuilder } from './use-builder.ts';
import { useStepTexts } from './step-texts.ts';

type StepFindings = { step: WorkflowStep; findings: readonly EditorFinding[] };

interface ReviewChecks {
  lacksStep: boolean;
  incompleteSteps: readonly WorkflowStep[];
  emails: readonly StepFindings[];
  isLoading: boolean;
  isBlocked: boolean;
  error: Error | undefined;
  refetch: () => void;
}

/** Checks the settings of each step and the content of each email. */
export function useReviewChecks(): ReviewChecks {
  const { workflow } = useBuilder();
  const steps = workflow.steps.filter((step) => step.type === 'EMAIL' && step.editor !== null);
  const queries = useQueries({
    queries: steps.map((step) => {
      const emailPlace: EmailRef = { basePath: STEP_EMAILS, id: step.id };
      return {
        queryKey: [...STEP_EMAILS.split('/').filter(Boolean), step.id, 'checks', 'review'],
        queryFn: () => readFindings(emailPlace),
        staleTime: 0,
        gcTime: 0,
      };
    }),
  });
  const emails = steps.flatMap((step, at) => {
    const emailFindings = queries[at]?.data ?? [];
    const findings = emailFindings.filter((finding) => finding.severity !== 'tip');
    return findings.length > 0 ? [{ step, findings }] : [];
  });
  const lacksStep = workflow.missing.some((gap) => gap.code === 'no_step');
  const incompleteSteps = workflow.steps.filter((step) => !step.complete);
  const hasErrors = emails.some((email) => email.findings.some((f) => f.severity === 'error'));
  return {
    ...{ lacksStep, incompleteSteps, emails },
    isLoading: queries.some((query) => query.isPending && !query.isLoadingError),
    isBlocked: lacksStep || incompleteSteps.length > 0 || hasErrors,
    error: queries.find((query) => query.isLoadingError)?.error ?? undefined,
    refetch: () => {
      for (const query of queries) void query.refetch();
    },
  };
}

export function Checks({ checks }: { checks: ReviewChecks }) {
  const t = useTexts('workflows');
  const { lacksStep, incompleteSteps, emails, isLoading, error } = checks;
  const isComplete =
    !isLoading && !error && !lacksStep && incompleteSteps.length + emails.length === 0;
  return (
    <section aria-labelledby="review-checks">
      <Text component="h3" id="review-checks" fw={600} mt={0} mb="xs">
        {t('review.checks')}
      </Text>
      {lacksStep && (
        <Text size="sm" mb="sm">
          {t('notReady.noStep')}
        </Text>
      )}
      <ul className={classes.list}>
        {incompleteSteps.map((step) => (
          <IncompleteStep key={step.id} step={step} />
        ))}
        {emails.map(({ step, findings }) => (
          <EmailFindings key={`${step.id} email`} step={step} findings={findings} />
        ))}
      </ul>
      {isLoading && <LoadingState rows={2} />}
      {error && <FailedState error={error} retry={checks.refetch} />}
      {isComplete && <Alert color="success">{t('review.fine')}</Alert>}
    </section>
  );
}

function IncompleteStep({ step }: { step: WorkflowStep }) {
  const { selectStep } = useBuilder();
  const { getStepName, getStepSummary } = useStepTexts();
  const describeMissing = useMissingText();
  const name = getStepName(step);
  const summary = getStepSummary(step);
  return (
    <li>
      <UnstyledButton className={classes.entry} onClick={() => selectStep(step.id)}>
        <IconAlertTriangle size={18} stroke={1.75} className={classes.icon} aria-hidden="true" />
        <span className={classes.words}>
          <Text component="span" size="sm" fw={600} display="block">
            <bdi>{name}</bdi>
            {summary !== '' && summary !== name && (
              <>
                {' · '}
                <bdi>{summary}</bdi>
              </>
            )}
          </Text>
          <Text component="span" size="sm" c="dimmed">
            {describeMissing(step)}
          </Text>
        </span>
        <IconChevronRight size={16} stroke={1.75} className={classes.arrow} aria-hidden="true" />
      </UnstyledButton>
    </li>
  );
}

/**
 * The findings of an email. Each links to where it is resolved: account settings, the content
 * editor, or the step's panel.
 */
function EmailFindings({ step, findings }: StepFindings) {
  const { workflow, selectStep } = useBuilder();
  const { getStepName, getStepSummary } = useStepTexts();
  const navigate = useNavigate();
  const resolve = (finding: EditorFinding) => {
    if (finding.step === 'account') return { to: '/settings/account' };
    if (finding.step === 'plan') return { to: '/settings/billing/upgrade' };
    if (finding.step === 'warm_up') return { to: '/settings/relays', hash: 'warm-ups' };
    if (finding.step === 'content')
      return {
        onClick: () =>
          void navigate({ to: buildEmailPath(workflow.id, step.id, step.editor ?? 'editor') }),
      };
    return { onClick: () => selectStep(step.id) };
  };
  return (
    <li className={classes.email}>
      <Text size="sm" fw={600}>
        <bdi>{getStepName(step)}</bdi>
      </Text>
      <Text size="sm" c="dimmed" truncate>
        <bdi>{getStepSummary(step)}</bdi>
      </Text>
      <Findings findings={findings} resolve={resolve} />
    </li>
  );
}
