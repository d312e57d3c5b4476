// Runs an action that uses the entered API key of a service. Errors about the key are returned, so
// that the caller can show them below its field; other errors are shown as notices.
import { useMutation } from '@tanstack/react-query';
import { ApiError } from '#platform/web/api-error.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { refreshUploadsIfFull } from './queries.ts';

export function useKeyAction<Response>(
  action: () => Promise<Response>,
  onDone: (response: Response) => void,
) {
  const mutation = useMutation({
    mutationFn: action,
    onSuccess: onDone,
    onError: (error) => {
      if (getKeyError(error) === undefined) showError(error);
      refreshUploadsIfFull(error);
    },
  });
  return {
    run: () => mutation.mutate(),
    isBusy: mutation.isPending,
    error: getKeyError(mutation.error),
  };
}

function getKeyError(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.message === '') return undefined;
  const isAboutKey = [422, 502, 503].includes(error.status) && error.code !== 'invalid';
  return isAboutKey ? error.message : undefined;
}
