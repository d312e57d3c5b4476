// The calls of segments for screens, and their addresses.
import { client } from '#platform/web/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const LIST = '/client-api/api/filters';

export const ALL = '/subscribers/segments';
export const CREATE = '/subscribers/segments/create';
export const pathOf = (id: string) => `/subscribers/segments/${id}`;

/** The list of subscribers, filtered to whom these conditions choose. */
export const peopleOf = (filter: string) =>
  `/subscribers?${new URLSearchParams({ filter }).toString()}`;
