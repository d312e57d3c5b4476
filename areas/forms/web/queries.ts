// The calls of forms for screens, and their addresses.
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const LIST = '/client-api/api/forms';

export const viewPath = (id: string) => `/forms/${id}/view`;
export const builderPath = (id: string) => `/forms/builder/${id}`;

export function useForm(id: string) {
  return useQuery(api.query('GET /client-api/api/forms/{id}', { params: { id } }));
}
