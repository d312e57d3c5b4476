// Queries for the account's own relays and warm-ups.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../relays-contract.ts';

export const api = client<typeof calls>();
export const RELAYS = '/client-api/api/relays';
export const WARM_UPS = '/client-api/api/warm_ups';
