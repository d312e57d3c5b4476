// The state of an import as a dot with a word.
import { useTexts } from '#platform/web/texts.ts';
import { StatusDot, type Tone } from '#platform/web/ui/status-dot.tsx';
import type { ImportState } from '../limits.ts';

const tones: Record<ImportState, Tone> = {
  uploaded: 'neutral',
  queued: 'neutral',
  running: 'active',
  finished: 'success',
  failed: 'danger',
};

export function ImportStateDot({ state }: { state: ImportState }) {
  const t = useTexts('imports');
  return <StatusDot tone={tones[state]} label={t(`states.${state}`)} />;
}
