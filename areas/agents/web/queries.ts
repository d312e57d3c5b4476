// The API client for assistants, and the path of the list of connections.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const CONNECTIONS = '/client-api/api/assistants';
