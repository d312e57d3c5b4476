// The bar below the title that appears while edits of steps are not applied. It shows the first
// three edited steps with their previous and new values. Its buttons apply or discard all edits.
import { Button, Group, Text } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { WorkflowStep } from '../contract.ts';
import classes from './builder.module.css';
import { useBuilder } from './use-builder.ts';
import { useChangeText } from './step-texts.ts';

/** Maximum number of edited steps in the bar; the canvas marks all edited steps. */
const MAX_LISTED = 3;

export function PendingEdits() {
  const t = useTexts('workflows');
  const { workflow, edits, save, editStep, discardEdits, selectStep } = useBuilder();
  const describeChange = useChangeText();
  const [isSending, setSending] = useState(false);
  const editedSteps = workflow.steps.filter((step) => edits[step.id] !== undefined);
  if (editedSteps.length === 0) return null;
  const apply = async () => {
    setSending(true);
    for (const step of editedSteps) if (await save(step, edits[step.id] ?? {})) editStep(step.id);
    setSending(false);
  };
  const discard = async () => {
    const isSure = await confirm({
      title: t('edits.discardTitle'),
      message: t('edits.discardMessage'),
      confirm: t('live.discard'),
      isDanger: true,
    });
    if (isSure) discardEdits();
  };
  const formatChange = (step: WorkflowStep) =>
    describeChange(step, { ...step, data: edits[step.id] ?? {} });
  return (
    <section className={classes.edits} aria-labelledby="pending-edits">
      <IconPencil size={18} stroke={1.75} aria-hidden="true" />
      <div className={classes.changes}>
        <div role="status">
          <Text component="h2" id="pending-edits" size="sm" fw={600} m={0}>
            {t('edits.title', { count: editedSteps.length })}
          </Text>
        </div>
        <ul>
          {editedSteps.slice(0, MAX_LISTED).map((step) => (
            <li key={step.id}>
              <button type="button" onClick={() => selectStep(step.id)}>
                {formatChange(step)}
              </button>
            </li>
          ))}
        </ul>
      </div>
      <Group gap="xs" wrap="nowrap">
        <Button size="xs" variant="default" onClick={() => void discard()}>
          {t('live.discard')}
        </Button>
        <Button size="xs" loading={isSending} onClick={() => void apply()}>
          {t('edits.apply', { count: editedSteps.length })}
        </Button>
      </Group>
    </section>
  );
}
