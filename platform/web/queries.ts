// The cache of what the server said, and acts that change it.
import {
  MutationCache,
  QueryCache,
  QueryClient,
  type UseMutationResult,
  useMutation,
} from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { showError } from './errors.ts';
import { onReset } from './store.ts';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** inline: the screen shows a 404 itself instead of going to /404. */
      notFound?: 'inline';
    };
    mutationMeta: {
      /** own: the caller shows the error itself (a form, a panel). */
      errors?: 'own';
    };
  }
}

const listeners = new Set<() => void>();

/** Hears of a 404 of something that a screen needs. */
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

/** Asks again for everything below these paths: `touch('/client-api/api/tags')`. */
export async function touch(...paths: string[]): Promise<void> {
  await Promise.all(
    paths.map((path) => queryClient.invalidateQueries({ queryKey: partsOf(path) })),
  );
}

/** Asks again for this very path, and for nothing below it. */
export async function touchOnly(path: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: partsOf(path), exact: true });
}

const partsOf = (path: string) => path.split('/').filter(Boolean);

export interface ActOptions<Input, Answer> {
  /** Paths whose lists and things changed by it. */
  touches?: string[];
  onDone?: (answer: Answer, input: Input) => void;
  /** own: the caller shows the error. */
  errors?: 'own';
  /** Acts of the same scope run one after another, each when the one before has touched what it changed. */
  scope?: { id: string };
}

/**
 * Something the person does: `const rename = useAct((title: string) => api('PATCH …', …),
 * { touches: ['/client-api/api/tags'] })`, then `rename.mutate('New')`. Errors are shown by themselves.
 */
export function useAct<Input, Answer>(
  act: (input: Input) => Promise<Answer>,
  options: ActOptions<Input, Answer> = {},
): UseMutationResult<Answer, Error, Input> {
  return useMutation({
    mutationFn: act,
    meta: { errors: options.errors },
    scope: options.scope,
    onSuccess: async (answer, input) => {
      options.onDone?.(answer, input);
      await touch(...(options.touches ?? []));
    },
  });
}
