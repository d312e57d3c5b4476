// The API client of assistants, and the path of the list of connected ones.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const CONNECTIONS = '/client-api/api/assistants';
