// What was taken in cannot be shown: it is gone, or it only could not be read just now.
import { isRefusal } from '#platform/web/api.ts';
import { useTexts } from '#platform/web/texts.ts';
import { FailedState } from '#platform/web/ui/states.tsx';

export interface SourceFailedProps {
  query: { error: unknown; refetch: () => unknown };
  /** What to do where it is gone. */
  again: { label: string; run: () => void };
}

export function SourceFailed({ query: { error, refetch }, again }: SourceFailedProps) {
  const t = useTexts('imports');
  if (!isRefusal(error)) return <FailedState error={error} retry={() => void refetch()} />;
  return <FailedState error={error} title={t('plan.gone')} action={again} />;
}
