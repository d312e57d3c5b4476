// Queries for segments, and the URLs of their screens.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const LIST_PATH = '/client-api/api/filters';

export const SEGMENTS_PATH = '/subscribers/segments';
export const CREATE = '/subscribers/segments/create';
export const toSegmentPath = (id: string) => `/subscribers/segments/${id}`;

/** Returns the URL of the list of subscribers, filtered by these conditions. */
export const toMatchingSubscribersPath = (filter: string) =>
  `/subscribers?${new URLSearchParams({ filter }).toString()}`;
