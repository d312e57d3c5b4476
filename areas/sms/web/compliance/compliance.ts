// Carrier compliance of a number, as a query.
import { useQuery } from '@tanstack/react-query';
import { api } from '../queries.ts';

export function useCompliance(id: string) {
  return useQuery(api.query('GET /client-api/api/phone/{id}/compliance', { params: { id } }));
}
