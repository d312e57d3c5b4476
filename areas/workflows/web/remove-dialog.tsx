// The dialog that removes a step: the user chooses what remains below it and sees how many steps
// are removed and what happens to the people there.
import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ResponseOf } from '#platform/web/api/api.ts';
import { useStore } from '#platform/web/store.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import type { ownCalls, WorkflowStep } from '../contract.ts';
import { listPaths } from './paths.ts';
import { api } from './queries.ts';
import { requestedRemoval } from './step-actions.ts';
import { useBuilder } from './use-builder.ts';
import { useStepTexts } from './step-texts.ts';

type Removal = ResponseOf<
  typeof ownCalls,
  'GET /client-api/api/workflows/{id}/steps/{stepId}/removal'
>['data'];

export default function RemoveDialog() {
  const t = useTexts('workflows');
  const { getStepName } = useStepTexts();
  const step = useStore(requestedRemoval);
  const close = () => requestedRemoval.set(undefined);
  return (
    <Dialog
      opened={step !== undefined}
      onClose={close}
      title={step && t('remove.title', { name: getStepName(step) })}
    >
      {step && <Question key={step.id} step={step} close={close} />}
    </Dialog>
  );
}

function Question({ step, close }: { step: WorkflowStep; close: () => void }) {
  const t = useTexts('workflows');
  const { workflow, remove, isBusy } = useBuilder();
  const paths = listPaths(step).filter((path) =>
    workflow.steps.some((child) => child.parent_id === step.id && child.condition_path === path),
  );
  const [choice, setHow] = useState(paths[0] ?? 'all');
  const isAll = choice === 'all';
  const path = isAll ? 'TRUE' : choice;
  const effects = useQuery({
    ...api.query('GET /client-api/api/workflows/{id}/steps/{stepId}/removal', {
      params: { id: workflow.id, stepId: step.id },
      query: { condition_path: path, delete_all_below: isAll ? 'true' : 'false' },
    }),
    staleTime: 0,
    placeholderData: keepPreviousData,
    // The step may no longer exist when this query refetches during the removal.
    meta: { notFound: 'inline' },
  });
  return (
    <Stack gap="sm">
      {paths.length > 0 && (
        <KeepChoice step={step} paths={paths} value={choice} onChange={setHow} />
      )}
      {effects.data ? (
        <Effects effects={effects.data.data} />
      ) : effects.isError ? (
        <FailedState error={effects.error} retry={() => void effects.refetch()} />
      ) : (
        <LoadingState rows={1} />
      )}
      <Group justify="flex-end" gap="xs" mt="xs">
        <Button variant="default" onClick={close}>
          {t('platform:confirm.cancel')}
        </Button>
        <Button
          color="danger"
          loading={isBusy}
          disabled={!effects.data}
          data-autofocus
          onClick={() => void remove(step, { path, isAll }).then(close)}
        >
          {t('remove.confirm')}
        </Button>
      </Group>
    </Stack>
  );
}

interface KeepChoiceProps {
  step: WorkflowStep;
  paths: readonly string[];
  value: string;
  onChange: (choice: string) => void;
}

/** The choice of the path to keep, or of the removal of all paths. */
function KeepChoice({ step, paths, value: choice, onChange }: KeepChoiceProps) {
  const t = useTexts('workflows');
  const { getPathLabel } = useStepTexts();
  return (
    <Radio.Group value={choice} onChange={onChange} label={t('remove.how')}>
      <Stack gap={6} mt={6}>
        {paths.map((path) => (
          <Radio
            key={path}
            value={path}
            label={
              step.type === 'CONDITION'
                ? t('remove.keepPath', { path: getPathLabel(step, path) })
                : t('remove.keep')
            }
          />
        ))}
        <Radio value="all" label={t('remove.all')} />
      </Stack>
    </Radio.Group>
  );
}

/** The effects that the removal would have now, according to the server. */
function Effects({ effects }: { effects: Removal }) {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const { getStepName } = useStepTexts();
  const { goes_on: on, ends, steps } = effects;
  const successor = workflow.steps.find((step) => step.id === on.step_id);
  return (
    <>
      <Text size="sm">{t('remove.steps', { count: steps.length })}</Text>
      {on.people > 0 && (
        <Text size="sm">
          {t('remove.goOn', { count: on.people, name: successor ? getStepName(successor) : '…' })}
        </Text>
      )}
      {ends > 0 && (
        <Text size="sm" c="danger">
          {t('remove.end', { count: ends })}
        </Text>
      )}
    </>
  );
}
