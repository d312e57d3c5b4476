// The message in place of an upload that no longer exists or could not be loaded.
import { isRefusal } from '#platform/web/api/api.ts';
import { FailedState } from '#platform/web/ui/states.tsx';

export interface SourceFailedProps {
  query: { error: unknown; refetch: () => unknown };
  /** Message and action if it no longer exists. */
  missing: { title: string; label: string; run: () => void };
}

export function SourceFailed({ query: { error, refetch }, missing }: SourceFailedProps) {
  if (!isRefusal(error)) return <FailedState error={error} retry={() => void refetch()} />;
  return <FailedState error={error} title={missing.title} action={missing} />;
}
