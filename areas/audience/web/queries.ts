// API calls for the subscriber screens, and the URL of a subscriber.
import { client } from '#platform/web/api/api.ts';
import type { ResponseOf } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const LIST_PATH = '/client-api/api/subscribers';
/** Queries to invalidate when subscribers change. */
export const SUBSCRIBER_QUERIES = [LIST_PATH, '/client-api/api/tags', '/client-api/api/users'];

export type Bulk = ResponseOf<typeof calls, 'DELETE /client-api/api/subscribers'>;

export const subscriberPath = (id: string) => `/subscribers/${id}/view`;
