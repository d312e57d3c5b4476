// API client and addresses of the webhook screens.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const LIST_PATH = '/client-api/api/webhooks';
export const SCREEN = '/settings/webhooks';
