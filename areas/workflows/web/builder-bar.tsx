// The bar above the canvas: title, status, undo and redo, and actions on the whole workflow.
import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconPencil, IconUserSearch } from '@tabler/icons-react';
import { Suspense } from 'react';
import { RequestApproval } from '#areas/approvals/web/index.ts';
import { flag, useSearchParams } from '#platform/web/api/address.ts';
import { StepButtons } from '#platform/web/editing/step-buttons.tsx';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useMissingRight } from '#platform/web/session/rights.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import { WorkBar } from '#platform/web/ui/work-bar.tsx';
import classes from './builder.module.css';
import { WORKFLOWS } from './queries.ts';
import { useStatusActions } from './status-actions.ts';
import { ToolsMenu } from './tools-menu.tsx';
import { useBuilder } from './use-builder.ts';

const ReviewDialog = lazyWithRetry(() => import('./review-dialog.tsx'));

/** Other screens link to the review with this parameter. */
const address = { review: flag() };

export function BuilderBar() {
  const t = useTexts('workflows');
  const builder = useBuilder();
  const { workflow, isBusy, isActive } = builder;
  const { rename } = useStatusActions();
  const { people } = workflow;
  return (
    <WorkBar back={{ to: WORKFLOWS, label: t('title') }}>
      <div className={classes.name}>
        <div className={classes.title}>
          <Text component="h1" fw={600} truncate m={0}>
            <bdi>{workflow.title}</bdi>
          </Text>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('rename.title')}
            onClick={() => void rename(workflow)}
          >
            <IconPencil size={16} stroke={1.75} />
          </ActionIcon>
        </div>
        <div className={classes.state}>
          <StatusDot
            tone={isActive ? 'success' : 'warning'}
            label={t(`status.${workflow.status}`)}
          />
          {people.inside > 0 && <span>{t('inside', { count: people.inside })}</span>}
          <span role="status">{t(isBusy ? 'builder.saving' : 'builder.saved')}</span>
        </div>
      </div>
      <StepButtons
        undo={builder.undo}
        redo={builder.redo}
        canUndo={builder.canUndo}
        canRedo={builder.canRedo}
      />
      <Group gap="xs" wrap="nowrap">
        <TryButton />
        <ToolsMenu />
        <Status />
      </Group>
    </WorkBar>
  );
}

/** Opens or closes the dry run beside the canvas. */
function TryButton() {
  const t = useTexts('workflows');
  const { isTrialOpen, setTrialOpen } = useBuilder();
  const isNarrow = useMediaQuery('(max-width: 860px)') ?? false;
  const toggle = { 'aria-pressed': isTrialOpen, onClick: () => setTrialOpen(!isTrialOpen) };
  const icon = <IconUserSearch size={18} stroke={1.75} />;
  if (isNarrow)
    return (
      <ActionIcon variant="default" size={36} aria-label={t('tools.trial')} {...toggle}>
        {icon}
      </ActionIcon>
    );
  return (
    <Button variant="default" leftSection={icon} {...toggle}>
      {t('tools.trial')}
    </Button>
  );
}

function Status() {
  const t = useTexts('workflows');
  const { workflow, isActive } = useBuilder();
  const { deactivate } = useStatusActions();
  const [{ review: isReviewShown }, setAddress] = useSearchParams(address);
  const missingRight = useMissingRight('send');
  const showReview = (review: boolean) => setAddress({ review }, { replace: true });
  if (isActive)
    return (
      <Button
        variant="default"
        disabled={missingRight !== undefined}
        title={missingRight}
        onClick={() => void deactivate(workflow)}
      >
        {t('acts.deactivate')}
      </Button>
    );
  if (missingRight !== undefined)
    return (
      <Suspense>
        <RequestApproval
          call={{
            method: 'PATCH',
            path: `/client-api/api/workflows/${workflow.id}/activate`,
            body: {},
          }}
        />
      </Suspense>
    );
  return (
    <>
      <Button onClick={() => showReview(true)}>{t('acts.activate')}</Button>
      {isReviewShown && (
        <Suspense>
          <ReviewDialog close={() => showReview(false)} />
        </Suspense>
      )}
    </>
  );
}
