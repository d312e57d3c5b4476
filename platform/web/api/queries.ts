// The cache of server responses, and user actions that change data on the server.
import {
  MutationCache,
  QueryCache,
  QueryClient,
  type UseMutationResult,
  useMutation,
} from '@tanstack/react-query';
import { ApiError } from '../api-error.ts';
import { showError } from '../errors/errors.ts';
import { onReset } from '../store.ts';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** inline: the screen shows a 404 itself instead of redirecting to /404. */
      notFound?: 'inline';
    };
    mutationMeta: {
      /** own: the caller shows the error itself (a form, a panel). */
      errors?: 'own';
    };
  }
}

const listeners = new Set<() => void>();

/** Calls the listener when data that a screen needs returns 404. */
export function onNotFound(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (!(error instanceof ApiError)) return;
      if (error.status === 404 && query.meta?.notFound !== 'inline') {
        for (const listener of listeners) listener();
      }
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, mutation) => {
      if (mutation.meta?.errors !== 'own') showError(error);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      networkMode: 'offlineFirst',
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 502),
    },
    mutations: { networkMode: 'always' },
  },
});

onReset(() => queryClient.clear());

/** Refetches everything below these paths: `invalidate('/client-api/api/tags')`. */
export async function invalidate(...paths: string[]): Promise<void> {
  await Promise.all(
    paths.map((path) => queryClient.invalidateQueries({ queryKey: partsOf(path) })),
  );
}

/** Refetches exactly this path, and nothing below it. */
export async function invalidateOnly(path: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: partsOf(path), exact: true });
}

const partsOf = (path: string) => path.split('/').filter(Boolean);

export interface ActionOptions<Input, Result> {
  /** Paths of the data that the action changes. */
  invalidates?: string[];
  onDone?: (response: Result, input: Input) => void;
  /** own: the caller shows the error. */
  errors?: 'own';
  /** Actions of the same scope run in sequence, each after the refetch of the previous one. */
  scope?: { id: string };
}

/**
 * Stores the response of a call as the object at this path, so that screens update immediately
 * instead of after the next request. Cancels a running request for this path.
 */
export function storeResponse(path: string, response: unknown): void {
  const queryKey = partsOf(path);
  void queryClient.cancelQueries({ queryKey, exact: true });
  queryClient.setQueryData(queryKey, response);
}

/**
 * Creates a user action: `const rename = useAction((title: string) => api('PATCH …', …), {
 * invalidates: ['/client-api/api/tags'] })`, then `rename.mutate('New')`. Errors are shown
 * automatically, unless `errors` is `own`.
 */
export function useAction<Input, Result>(
  action: (input: Input) => Promise<Result>,
  options: ActionOptions<Input, Result> = {},
): UseMutationResult<Result, Error, Input> {
  return useMutation({
    mutationFn: action,
    meta: { errors: options.errors },
    scope: options.scope,
    onSuccess: async (response, input) => {
      options.onDone?.(response, input);
      await invalidate(...(options.invalidates ?? []));
    },
  });
}
