// Queries for the audit log.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const AUDIT = '/client-api/api/audit';
