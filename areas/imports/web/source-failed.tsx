// Shown instead of an upload that no longer exists or could not be loaded.
import { isRefusal } from '#platform/web/api/api.ts';
import { FailedState } from '#platform/web/ui/states.tsx';

export interface SourceFailedProps {
  query: { error: unknown; refetch: () => unknown };
  /** The message if the upload no longer exists, and the label of the action. */
  missingNotice: { title: string; label: string; run: () => void };
}

export function SourceFailed({ query: { error, refetch }, missingNotice }: SourceFailedProps) {
  if (!isRefusal(error)) return <FailedState error={error} retry={() => void refetch()} />;
  return <FailedState error={error} title={missingNotice.title} action={missingNotice} />;
}
