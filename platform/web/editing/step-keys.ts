// Undo and redo keys: everywhere in an editor except fields, which have their own.
import type { KeyboardEvent } from 'react';
import { toLatinKey } from '#platform/web/hooks/letter-keys.ts';

export interface StepActions {
  undo: () => void;
  redo: () => void;
}

export function stepKeys(steps: StepActions, event: globalThis.KeyboardEvent): void {
  if (!isStepKey(event)) return;
  const target = event.target as HTMLElement;
  if (target.matches('input, textarea, select')) return;
  event.preventDefault();
  if (event.shiftKey || toLatinKey(event).toLowerCase() === 'y') steps.redo();
  else steps.undo();
}

export function isStepKey(event: KeyboardEvent | globalThis.KeyboardEvent): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
  return ['z', 'y'].includes(toLatinKey(event).toLowerCase());
}
