// API calls of recurring campaigns under the paths of each kind.
import { useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { client } from '#platform/web/api/api.ts';
import type { planningCalls } from '../../planning-contract.ts';

const BASE = '/client-api/api/campaigns';
type PlanningCalls = ReturnType<typeof planningCalls<typeof BASE, z.ZodObject>>;

/**
 * The types are taken from email campaigns because requests and responses of all kinds are equal.
 */
export const planningApi = (base: string) =>
  client<PlanningCalls>((name) => name.replace(BASE, base));

export function useSeriesDates(base: string, id: string) {
  return useQuery(
    planningApi(base).query('GET /client-api/api/campaigns/{id}/series/dates', { params: { id } }),
  );
}
