// Queries of connected assistants.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const CONNECTIONS = '/client-api/api/assistants';
