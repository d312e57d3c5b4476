// A slot between two steps or at the end of a path: it shows the path, adds a step, or takes the
// step that is being moved or copied.
import { ActionIcon, Button } from '@mantine/core';
import { IconClipboard, IconPlus } from '@tabler/icons-react';
import { Handle, Position } from '@xyflow/react';
import { getCurrentLanguage, useTexts } from '#platform/web/texts/texts.ts';
import { DIRECTION } from '#platform/web/texts/languages.ts';
import { ChoiceMenu } from '#platform/web/ui/choice-menu.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { getBranch } from '../paths.ts';
import { type NewStepType, useBuilder } from '../use-builder.ts';
import { useStepTexts } from '../step-texts.ts';
import classes from './canvas.module.css';
import type { StepSlot } from './layout.ts';
import { NEW_TYPES } from './new-types.ts';

export function SlotNode({ data: { slot } }: { data: { slot: StepSlot } }) {
  const { carriedStep } = useBuilder();
  const label = usePathLabel(slot);
  return (
    <div className={classes.slot} dir={DIRECTION[getCurrentLanguage()]}>
      <Handle type="target" position={Position.Top} className={classes.handle} />
      {label && (
        <span className={classes.path} data-path={slot.path}>
          {label}
        </span>
      )}
      {carriedStep ? <Drop slot={slot} /> : <Add slot={slot} />}
    </div>
  );
}

/** Returns Yes or No, or the share of a split; undefined for a single path. */
function usePathLabel({ parent, path }: StepSlot): string | undefined {
  const { getPathLabel } = useStepTexts();
  return parent.type === 'CONDITION' ? getPathLabel(parent, path) : undefined;
}

function Add({ slot }: { slot: StepSlot }) {
  const t = useTexts('workflows');
  const { insertStep } = useBuilder();
  const { getStepName } = useStepTexts();
  const path = usePathLabel(slot);
  const name = getStepName(slot.parent);
  const label = path ? t('builder.addOn', { name, path }) : t('builder.addAfter', { name });
  const choose = async (type: NewStepType) => {
    // For a condition above existing steps, the user chooses the path where they continue.
    if (type !== 'CONDITION' || !slot.child) return insertStep(slot, type);
    const chosenPath = await promptInput({
      type: 'select',
      title: t('builder.childrenTitle'),
      label: t('builder.childrenLabel'),
      value: 'TRUE',
      options: (['TRUE', 'FALSE'] as const).map((value) => ({ value, label: t(`path.${value}`) })),
      confirm: t('builder.childrenConfirm'),
    });
    if (chosenPath !== undefined) await insertStep(slot, type, String(chosenPath));
  };
  return (
    <ChoiceMenu
      label={t('builder.add')}
      width={230}
      position="bottom"
      target={
        <ActionIcon
          variant="default"
          radius="xl"
          size={28}
          aria-label={label}
          title={t('builder.add')}
          className={classes.plus ?? ''}
        >
          <IconPlus size={16} stroke={2} />
        </ActionIcon>
      }
      groups={[
        {
          choices: NEW_TYPES.map((type) => ({
            key: type,
            label: t(`step.${type}`),
            choose: () => void choose(type),
          })),
        },
      ]}
    />
  );
}

function Drop({ slot }: { slot: StepSlot }) {
  const t = useTexts('workflows');
  const { workflow, carriedStep, dropStep } = useBuilder();
  const { getStepName } = useStepTexts();
  if (!carriedStep) return null;
  const { step, action } = carriedStep;
  const isOwn = slot.parent.id === step.parent_id && slot.path === step.condition_path;
  const isBelowItself = getBranch(workflow.steps, step.id).some(
    (step) => step.id === slot.parent.id,
  );
  const isForbidden = action === 'move' && (isOwn || isBelowItself);
  if (isForbidden) return <span className={classes.dot} />;
  return (
    <Button
      size="compact-xs"
      variant="light"
      leftSection={<IconClipboard size={14} stroke={1.75} />}
      aria-label={t(action === 'move' ? 'builder.moveAfter' : 'builder.pasteAfter', {
        name: getStepName(slot.parent),
      })}
      onClick={() => void dropStep(slot)}
    >
      {t(action === 'move' ? 'builder.moveHere' : 'builder.pasteHere')}
    </Button>
  );
}
