// Queries for custom events.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const LIST_PATH = '/client-api/api/custom_events';
export const SCREEN = '/subscribers/events';
