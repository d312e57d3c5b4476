// Queries for transactional emails, and the paths of their screens.
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';
import type { smsCalls } from '../sms-contract.ts';

export const api = client<typeof calls>();
export const smsApi = client<typeof smsCalls>();
export const LIST_PATH = '/client-api/api/transactional';

export const EMAILS = '/transactional/transactional-emails';
export const transactionalPath = (id: string, part: string) => `/transactional/${id}/${part}`;

export function useEmail(id: string) {
  return useQuery(api.query('GET /client-api/api/transactional/{id}', { params: { id } }));
}

/** Queries that a change of this email invalidates. */
export const affectedQueries = (id: string) => [`${LIST_PATH}/${id}`, LIST_PATH];

const EDITORS = { editor: 'editor', html: 'custom_html', text: 'plain_text' } as const;
export const editorPath = (id: string, kind: keyof typeof EDITORS) =>
  transactionalPath(id, EDITORS[kind]);
