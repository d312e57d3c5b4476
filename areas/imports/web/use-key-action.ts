// An act with a key: what is wrong with the key is said below its field, the rest as everywhere.
import { useMutation } from '@tanstack/react-query';
import { ApiError } from '#platform/web/api-error.ts';
import { showError } from '#platform/web/errors.ts';
import { touchWhereFull } from './queries.ts';

export function useKeyAction<Answer>(act: () => Promise<Answer>, onDone: (answer: Answer) => void) {
  const mutation = useMutation({
    mutationFn: act,
    onSuccess: onDone,
    onError: (error) => {
      if (wordsOf(error) === undefined) showError(error);
      touchWhereFull(error);
    },
  });
  return {
    run: () => mutation.mutate(),
    isBusy: mutation.isPending,
    error: wordsOf(mutation.error),
  };
}

function wordsOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.message === '') return undefined;
  const isAboutKey = [422, 502, 503].includes(error.status) && error.code !== 'invalid';
  return isAboutKey ? error.message : undefined;
}
