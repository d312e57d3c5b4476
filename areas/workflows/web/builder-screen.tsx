// The workflow builder: canvas, panel of the selected step, and actions on the whole workflow.
import { Button, CloseButton, Drawer, Group, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Suspense, useEffect } from 'react';
import { stepKeys } from '#platform/web/editing/step-keys.ts';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import classes from './builder.module.css';
import { BuilderBar } from './builder-bar.tsx';
import { Canvas } from './canvas/canvas.tsx';
import { PendingEdits } from './pending-edits.tsx';
import { LIST_PATH, useWorkflow, type WholeWorkflow } from './queries.ts';
import { BuilderContext, useBuilder, useNewBuilder } from './use-builder.ts';
import { useStepTexts } from './step-texts.ts';

const loadPanel = () => import('./panel/step-panel.tsx');
const StepPanel = lazyWithRetry(loadPanel);
const TrialPanel = lazyWithRetry(() => import('./tools/trial-panel.tsx'));
const RemoveDialog = lazyWithRetry(() => import('./remove-dialog.tsx'));

export default function BuilderScreen() {
  const id = useParam('workflow');
  const workflow = useWorkflow(id);
  useLiveInvalidation('workflow', LIST_PATH);
  if (workflow.isLoadingError)
    return <FailedState error={workflow.error} retry={() => void workflow.refetch()} isPage />;
  if (!workflow.data) return <LoadingState rows={8} />;
  return <Builder key={id} workflow={workflow.data.data} />;
}

function Builder({ workflow }: { workflow: WholeWorkflow }) {
  const builder = useNewBuilder(workflow);
  const { undo, redo } = builder;
  // Preloads the panel, because a step is usually selected soon.
  useEffect(() => void loadPanel().catch(() => undefined), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => stepKeys({ undo, redo }, event);
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [undo, redo]);
  return (
    <BuilderContext value={builder}>
      <div className={classes.builder}>
        <BuilderBar />
        <PendingEdits />
        <Carrying />
        <div className={classes.place}>
          <Canvas />
          <Side />
        </div>
        <Suspense>
          <RemoveDialog />
        </Suspense>
      </div>
    </BuilderContext>
  );
}

/** Banner while a step is being moved or copied and its target is not chosen yet. */
function Carrying() {
  const t = useTexts('workflows');
  const { carriedStep, setCarriedStep } = useBuilder();
  const { getStepName } = useStepTexts();
  if (!carriedStep) return null;
  const { step, action } = carriedStep;
  return (
    <Group className={classes.carrying} role="status" justify="center" gap="sm">
      <Text size="sm">
        {t(action === 'move' ? 'builder.moving' : 'builder.copying', { name: getStepName(step) })}
      </Text>
      <Button size="compact-sm" variant="default" onClick={() => setCarriedStep(undefined)}>
        {t('platform:confirm.cancel')}
      </Button>
    </Group>
  );
}

/**
 * The panel of the selected step or of the dry run, beside the canvas or, on narrow screens, over
 * it.
 */
function Side() {
  const t = useTexts('workflows');
  const { selectedStep, selectStep, generation, carriedStep, isTrialOpen, setTrialOpen } =
    useBuilder();
  const { getStepName } = useStepTexts();
  const isNarrow = useMediaQuery('(max-width: 860px)') ?? false;
  const step = carriedStep ? undefined : selectedStep;
  const isTrial = isTrialOpen && !step;
  const name = step ? getStepName(step) : t('tools.trial');
  const panel = (
    <Suspense fallback={<LoadingState rows={6} />}>
      {step ? <StepPanel key={`${step.id} ${generation}`} step={step} /> : <TrialPanel />}
    </Suspense>
  );
  if (!isNarrow)
    return step || isTrial ? (
      <aside className={classes.side} aria-label={name}>
        {isTrial && (
          <Group justify="space-between" wrap="nowrap" mb="sm">
            <Text component="h2" fw={600} m={0}>
              {name}
            </Text>
            <CloseButton
              aria-label={t('platform:dialog.close')}
              onClick={() => setTrialOpen(false)}
            />
          </Group>
        )}
        {panel}
      </aside>
    ) : null;
  return (
    <Drawer
      opened={step !== undefined || isTrial}
      onClose={() => (isTrial ? setTrialOpen(false) : selectStep(undefined))}
      position="bottom"
      size="82%"
      title={name}
      closeButtonProps={{ 'aria-label': t('platform:dialog.close'), size: 44 }}
    >
      {panel}
    </Drawer>
  );
}
