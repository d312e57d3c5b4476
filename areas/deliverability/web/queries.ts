// Queries for deliverability.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const DELIVERABILITY = '/client-api/api/deliverability';
export const SCREEN = '/settings/deliverability';
