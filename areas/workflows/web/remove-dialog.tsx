// Asks before a step goes: what takes its place, and where the people go who stand there.
import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useStore } from '#platform/web/store.ts';
import { useTexts } from '#platform/web/texts.ts';
import type { Step } from '../contract.ts';
import { branchOf, pathsOf } from './paths.ts';
import { askedRemoval } from './step-acts.ts';
import { useBuilder } from './use-builder.ts';
import { useStepWords } from './words.ts';

export default function RemoveDialog() {
  const t = useTexts('workflows');
  const { nameOf } = useStepWords();
  const step = useStore(askedRemoval);
  const close = () => askedRemoval.set(undefined);
  return (
    <Modal
      opened={step !== undefined}
      onClose={close}
      title={step && t('remove.title', { name: nameOf(step) })}
      closeButtonProps={{ 'aria-label': t('platform:dialog.close') }}
    >
      {step && <Question key={step.id} step={step} close={close} />}
    </Modal>
  );
}

function Question({ step, close }: { step: Step; close: () => void }) {
  const t = useTexts('workflows');
  const { workflow, remove, isBusy } = useBuilder();
  const { pathOf } = useStepWords();
  const paths = pathsOf(step).filter((path) =>
    workflow.steps.some((one) => one.parent_id === step.id && one.condition_path === path),
  );
  const [how, setHow] = useState(paths[0] ?? 'all');
  const isAll = how === 'all';
  const gone = goneWith(workflow.steps, step, isAll ? undefined : how);
  const ending = gone
    .filter((one) => isAll || one.id !== step.id || paths.length === 0)
    .reduce((all, one) => all + one.here, 0);
  const goingOn = isAll || paths.length === 0 ? 0 : step.here;
  return (
    <Stack gap="sm">
      {paths.length > 0 && (
        <Radio.Group value={how} onChange={setHow} label={t('remove.how')}>
          <Stack gap={6} mt={6}>
            {paths.map((path) => (
              <Radio
                key={path}
                value={path}
                label={
                  step.type === 'CONDITION'
                    ? t('remove.keepPath', { path: pathOf(step, path) })
                    : t('remove.keep')
                }
              />
            ))}
            <Radio value="all" label={t('remove.all')} />
          </Stack>
        </Radio.Group>
      )}
      <Text size="sm">{t('remove.steps', { count: gone.length })}</Text>
      {goingOn > 0 && <Text size="sm">{t('remove.goOn', { count: goingOn })}</Text>}
      {ending > 0 && (
        <Text size="sm" c="danger">
          {t('remove.end', { count: ending })}
        </Text>
      )}
      <Group justify="flex-end" gap="xs" mt="xs">
        <Button variant="default" onClick={close}>
          {t('platform:confirm.cancel')}
        </Button>
        <Button
          color="danger"
          loading={isBusy}
          data-autofocus
          onClick={() => void remove(step, { path: isAll ? 'TRUE' : how, isAll }).then(close)}
        >
          {t('remove.confirm')}
        </Button>
      </Group>
    </Stack>
  );
}

/** All that goes: with `path`, what is below on the other paths, and the step itself. */
function goneWith(steps: readonly Step[], step: Step, path: string | undefined): Step[] {
  const branch = branchOf(steps, step.id);
  const heir = steps.find((one) => one.parent_id === step.id && one.condition_path === path);
  const kept = new Set(heir ? branchOf(steps, heir.id) : []);
  return branch.filter((one) => !kept.has(one));
}
