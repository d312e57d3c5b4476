// Reasons that prevent activation, step by step, each with a link to resolve it. Errors of an email
// come from its checks.
import { Alert, Modal, Text, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconChevronRight } from '@tabler/icons-react';
import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { type EmailPlace, errorsOf, type Finding, Findings } from '../../content/web/index.ts';
import type { Step } from '../contract.ts';
import classes from './missing-dialog.module.css';
import { useMissingText } from './missing-words.ts';
import { emailPath, STEP_EMAILS } from './queries.ts';
import { useBuilder } from './use-builder.ts';
import { useStepTexts } from './words.ts';

export default function MissingDialog({ close }: { close: () => void }) {
  const t = useTexts('workflows');
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title={t('notReady.title')}
      closeButtonProps={{ 'aria-label': t('platform:dialog.close') }}
    >
      <Missing />
    </Modal>
  );
}

function Missing() {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const lacksStep = workflow.missing.some((one) => one.code === 'no_step');
  const incomplete = workflow.steps.filter((step) => !step.complete);
  const emails = useEmailErrors(workflow.steps);
  const failed = emails.find((email) => email.query.isLoadingError)?.query;
  const isLoading = emails.some((email) => email.query.isPending && !email.query.isLoadingError);
  const wrong = emails.filter(({ query }) => (query.data?.length ?? 0) > 0);
  const isAll = !isLoading && !failed && !lacksStep && incomplete.length + wrong.length === 0;
  return (
    <>
      {lacksStep && (
        <Text size="sm" mb="sm">
          {t('notReady.noStep')}
        </Text>
      )}
      <ul className={classes.list}>
        {incomplete.map((step) => (
          <Incomplete key={step.id} step={step} />
        ))}
        {wrong.map(({ step, query }) => (
          <Wrong key={`${step.id} email`} step={step} errors={query.data ?? []} />
        ))}
      </ul>
      {isLoading && <LoadingState rows={2} />}
      {failed && <Failed checks={failed} />}
      {isAll && <Alert color="success">{t('notReady.nothing')}</Alert>}
    </>
  );
}

function Failed({ checks }: { checks: UseQueryResult<Finding[]> }) {
  if (!checks.isLoadingError) return null;
  return <FailedState error={checks.error} retry={() => void checks.refetch()} />;
}

/** Runs the checks of each email with content; emails without content are listed as missing. */
function useEmailErrors(steps: readonly Step[]) {
  const emails = steps.filter((step) => step.type === 'EMAIL' && step.editor !== null);
  const queries = useQueries({
    queries: emails.map((step) => {
      const place: EmailPlace = { base: STEP_EMAILS, id: step.id };
      return {
        queryKey: [...STEP_EMAILS.split('/').filter(Boolean), step.id, 'checks', 'errors'],
        queryFn: () => errorsOf(place),
        staleTime: 0,
        gcTime: 0,
      };
    }),
  });
  return emails.flatMap((step, at) => {
    const query = queries[at];
    return query ? [{ step, query }] : [];
  });
}

function Incomplete({ step }: { step: Step }) {
  const { choose } = useBuilder();
  const { nameOf } = useStepTexts();
  const missingOf = useMissingText();
  return (
    <li>
      <UnstyledButton className={classes.entry} onClick={() => choose(step.id)}>
        <IconAlertTriangle size={18} stroke={1.75} className={classes.icon} aria-hidden="true" />
        <span className={classes.words}>
          <Text component="span" size="sm" fw={600} display="block">
            <bdi>{nameOf(step)}</bdi>
          </Text>
          <Text component="span" size="sm" c="dimmed">
            {missingOf(step)}
          </Text>
        </span>
        <IconChevronRight size={16} stroke={1.75} className={classes.arrow} aria-hidden="true" />
      </UnstyledButton>
    </li>
  );
}

/** Settings and sender are in the panel of the step; content errors are in its editor. */
function Wrong({ step, errors }: { step: Step; errors: readonly Finding[] }) {
  const { workflow, choose } = useBuilder();
  const { nameOf, summaryOf } = useStepTexts();
  const navigate = useNavigate();
  const resolve = (finding: Finding) => {
    if (finding.step === 'account') return { to: '/settings/account' };
    if (finding.step === 'warm_up') return { to: '/settings/relays', hash: 'warm-ups' };
    if (finding.step === 'content')
      return {
        act: () => void navigate({ to: emailPath(workflow.id, step.id, step.editor ?? 'editor') }),
      };
    return { act: () => choose(step.id) };
  };
  return (
    <li className={classes.email}>
      <Text size="sm" fw={600}>
        <bdi>{nameOf(step)}</bdi>
      </Text>
      <Text size="sm" c="dimmed" truncate>
        <bdi>{summaryOf(step)}</bdi>
      </Text>
      <Findings findings={errors} resolve={resolve} />
    </li>
  );
}
