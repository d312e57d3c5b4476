// Actions of a step on the canvas. A removal first shows its effect on the steps below and on
// people.
import { useTexts } from '#platform/web/texts/texts.ts';
import type { RowAction } from '#platform/web/ui/row-menu.tsx';
import { createStore } from '#platform/web/store.ts';
import type { WorkflowStep } from '../contract.ts';
import { useBuilder } from './use-builder.ts';

/** The step in the open removal dialog; undefined while the dialog is closed. */
export const requestedRemoval = createStore<WorkflowStep | undefined>(undefined);

export function useStepActions(step: WorkflowStep): {
  actions: RowAction<WorkflowStep>[];
  remove: () => void;
} {
  const t = useTexts('workflows');
  const { duplicate, setCarriedStep } = useBuilder();
  const remove = () => requestedRemoval.set(step);
  return {
    remove,
    actions: [
      { label: t('stepActs.duplicate'), run: () => void duplicate(step) },
      { label: t('stepActs.move'), run: () => setCarriedStep({ step, action: 'move' }) },
      { label: t('stepActs.copy'), run: () => setCarriedStep({ step, action: 'copy' }) },
      { label: t('stepActs.remove'), isDanger: true, run: remove },
    ],
  };
}
