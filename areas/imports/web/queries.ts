// Queries for imports, and the paths that changes invalidate.
import { useMutation, useQuery } from '@tanstack/react-query';
import type { calls as contentCalls } from '#areas/content/contract.ts';
import type { calls as fieldCalls } from '#areas/fields/contract.ts';
import type { calls as groupCalls } from '#areas/groups/contract.ts';
import { client } from '#platform/web/api/api.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { invalidate, queryClient } from '#platform/web/api/queries.ts';
import { ApiError } from '#platform/web/api-error.ts';
import { showError } from '#platform/web/errors/errors.ts';
import type { calls } from '../contract.ts';
import { type Delimiter, type FileEncoding, MAX_FILE_MEGABYTES } from '../shared.ts';
import type { ForecastOrder } from './plan.ts';

export const api = client<typeof calls>();
export const IMPORTS = '/client-api/api/imports';
export const uploads = `${IMPORTS}/uploads`;

/**
 * Refreshes the list of uploads if the limit is reached, because uploads of other users may be
 * missing from it.
 */
export function refreshUploadsIfFull(error: unknown): void {
  if (error instanceof ApiError && error.code === 'too_many_uploads') void invalidate(uploads);
}

/** Queries that an import invalidates. */
export const CHANGED_BY_IMPORT = [
  IMPORTS,
  '/client-api/api/subscribers',
  '/client-api/api/tags',
  '/client-api/api/fields',
  '/client-api/api/users',
];

export const contentApi = client<typeof contentCalls>();
const fieldsApi = client<typeof fieldCalls>();
const groupsApi = client<typeof groupCalls>();

export function useFields() {
  return useQuery(fieldsApi.query('GET /client-api/api/fields', { query: { no_paginate: '1' } }));
}

export function useGroups() {
  return useQuery(groupsApi.query('GET /client-api/api/tags', { query: { no_paginate: '1' } }));
}

/** The user's reading settings; unset ones are detected. */
export interface ReadingChoice {
  encoding?: FileEncoding;
  delimiter?: Delimiter;
  has_header?: boolean;
  header_row?: number;
}

export function usePreview(id: string, { has_header, ...reading }: ReadingChoice) {
  return useQuery({
    ...api.query('GET /client-api/api/imports/{id}/preview', {
      params: { id },
      query: {
        ...reading,
        ...(has_header === undefined ? {} : { has_header: has_header ? ('1' as const) : '0' }),
      },
    }),
    enabled: id !== '',
    placeholderData: (before) => before,
    // The preview never changes, and it is not needed after the import has started.
    staleTime: 'static',
    meta: { notFound: 'inline' },
  });
}

/**
 * Loads one import. While it runs, it is refetched every second and after hints from the server.
 */
export function useImport(id: string) {
  useLiveInvalidation(`import:${id}`, `${IMPORTS}/${id}`);
  return useQuery({
    ...api.query('GET /client-api/api/imports/{id}', { params: { id } }),
    refetchInterval: ({ state }) =>
      state.data && (isInProgress(state.data.data.state) || isUndoing(state.data.data.undo))
        ? 1000
        : false,
    meta: { notFound: 'inline' },
  });
}

/** Returns the progress of fetching rows from another service. */
export function useFetching(id: string) {
  useLiveInvalidation(`import:${id}`, `${IMPORTS}/${id}/fetching`);
  return useQuery({
    ...api.query('GET /client-api/api/imports/{id}/fetching', { params: { id } }),
    refetchInterval: ({ state }) => (state.data?.data.state === 'fetching' ? 1500 : false),
    meta: { notFound: 'inline' },
  });
}

/**
 * Requests a forecast and polls it until it ends; `data` is the state of the last one requested.
 */
export function useForecast(id: string) {
  const path = 'GET /client-api/api/imports/{id}/forecast';
  const request = useMutation({
    mutationFn: (body: ForecastOrder) =>
      api('POST /client-api/api/imports/{id}/forecast', { params: { id }, body }),
    onSuccess: (response) =>
      queryClient.setQueryData(api.query(path, { params: { id } }).queryKey, response),
    onError: showError,
  });
  useLiveInvalidation(`import:${id}`, `${IMPORTS}/${id}/forecast`);
  const query = useQuery({
    ...api.query(path, { params: { id } }),
    enabled: request.isSuccess,
    refetchInterval: ({ state }) => {
      const now = state.data?.data.state;
      return now === 'queued' || now === 'running' ? 700 : false;
    },
    meta: { notFound: 'inline' },
  });
  return {
    start: (order: ForecastOrder) => request.mutate(order),
    isRequesting: request.isPending,
    data: request.isSuccess ? query.data?.data : undefined,
  };
}

/** Returns the maximum size of a file in megabytes on this installation. */
export function useLargestFile(): number {
  const limits = useQuery(api.query('GET /client-api/api/imports/limits'));
  return limits.data?.data.file_megabytes ?? MAX_FILE_MEGABYTES;
}

export function isUndoing(undo: { state: string } | null): boolean {
  return undo !== null && isInProgress(undo.state);
}

export function isInProgress(state: string): boolean {
  return state === 'queued' || state === 'running';
}
