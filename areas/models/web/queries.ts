// Queries of assistance.
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import type { Language } from '#platform/languages.ts';
import type { calls } from '../contract.ts';
import type { TextTask } from '../shared.ts';

export const api = client<typeof calls>();
export const ASSISTANCE = '/client-api/api/assistance';

export const useModel = () => useQuery(api.query('GET /client-api/api/assistance'));

/** Whether suggestions are offered: only once an administrator has chosen a model. */
export function useIsAssisted(): boolean {
  // Without an answer, screens work as without a model.
  const model = useQuery({
    ...api.query('GET /client-api/api/assistance'),
    retry: false,
    meta: { notFound: 'inline' },
  });
  return model.data?.data?.is_on === true;
}

/** Without confirmation the answer only has the request that would be sent. */
export const suggestTexts = (body: {
  task: TextTask;
  texts: string[];
  language: Language;
  is_confirmed: boolean;
}) => api('POST /client-api/api/assistance/texts', { body });
