// The state of an import as a dot with a word.
import { useTexts } from '#platform/web/texts/texts.ts';
import { StatusDot, type Tone } from '#platform/web/ui/status-dot.tsx';
import type { Import } from '../contract.ts';
import type { ImportState } from '../shared.ts';

const tones: Record<ImportState, Tone> = {
  uploaded: 'neutral',
  queued: 'neutral',
  running: 'active',
  finished: 'success',
  failed: 'danger',
};

/** An undone import is shown as undone, regardless of its previous state. */
export function ImportStateDot({ data }: { data: Pick<Import, 'state' | 'undo'> }) {
  const t = useTexts('imports');
  const { state, undo } = data;
  if (undo?.state === 'finished') return <StatusDot tone="neutral" label={t('states.undone')} />;
  return <StatusDot tone={tones[state]} label={t(`states.${state}`)} />;
}
