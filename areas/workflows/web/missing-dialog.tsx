// What keeps a workflow from being activated, each with the way to it.
import { Modal, Text, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconChevronRight } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts.ts';
import classes from './missing-dialog.module.css';
import { useMissingWords } from './missing-words.ts';
import { useBuilder } from './use-builder.ts';
import { useStepWords } from './words.ts';

export function MissingDialog({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const t = useTexts('workflows');
  const { workflow, choose } = useBuilder();
  const { nameOf } = useStepWords();
  const missingOf = useMissingWords();
  const steps = workflow.steps.filter((step) => !step.complete);
  const lacksStep = workflow.missing.some((one) => one.code === 'no_step');
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={t('notReady.title')}
      closeButtonProps={{ 'aria-label': t('platform:dialog.close') }}
    >
      {lacksStep && (
        <Text size="sm" mb="sm">
          {t('notReady.noStep')}
        </Text>
      )}
      {steps.length > 0 && (
        <ul className={classes.list}>
          {steps.map((step) => (
            <li key={step.id}>
              <UnstyledButton
                className={classes.entry}
                onClick={() => {
                  close();
                  choose(step.id);
                }}
              >
                <IconAlertTriangle
                  size={18}
                  stroke={1.75}
                  className={classes.icon}
                  aria-hidden="true"
                />
                <span className={classes.words}>
                  <Text component="span" size="sm" fw={600} display="block">
                    {nameOf(step)}
                  </Text>
                  <Text component="span" size="sm" c="dimmed">
                    {missingOf(step)}
                  </Text>
                </span>
                <IconChevronRight
                  size={16}
                  stroke={1.75}
                  className={classes.arrow}
                  aria-hidden="true"
                />
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
    </Modal>
  );
}
