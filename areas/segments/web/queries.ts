// The calls of segments for screens, and their addresses.
import { client } from '#platform/web/api.ts';
import type { calls } from '../contract.ts';
import { TITLE_MOST } from '../limits.ts';

export const api = client<typeof calls>();
export const LIST = '/client-api/api/filters';

export const ALL = '/subscribers/segments';
export const CREATE = '/subscribers/segments/create';
export const pathOf = (id: string) => `/subscribers/segments/${id}`;

/** The list of subscribers, filtered to whom these conditions choose. */
export const peopleOf = (filter: string) =>
  `/subscribers?${new URLSearchParams({ filter }).toString()}`;

/** What a segment without a title of its own is called: how it reads, as far as there is room. */
export function titleOf(sentence: string): string {
  const letters = [...sentence];
  return letters.length > TITLE_MOST ? `${letters.slice(0, TITLE_MOST - 1).join('')}…` : sentence;
}
