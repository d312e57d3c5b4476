// What was taken in cannot be shown: it is gone, or it only could not be read just now.
import { isRefusal } from '#platform/web/api.ts';
import { FailedState } from '#platform/web/ui/states.tsx';

export interface SourceFailedProps {
  query: { error: unknown; refetch: () => unknown };
  /** What is said, and what to do, where it is gone. */
  gone: { title: string; label: string; run: () => void };
}

export function SourceFailed({ query: { error, refetch }, gone }: SourceFailedProps) {
  if (!isRefusal(error)) return <FailedState error={error} retry={() => void refetch()} />;
  return <FailedState error={error} title={gone.title} action={gone} />;
}
