// Queries for forms, and the paths of their screens.
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const LIST_PATH = '/client-api/api/forms';

export const viewPath = (id: string) => `/forms/${id}/view`;
export const builderPath = (id: string) => `/forms/builder/${id}`;

/** Returns the path of an editor for the form's confirmation email. */
export const confirmationPath = (id: string, part: 'editor' | 'custom_html' | 'plain_text') =>
  `/forms/${id}/mail/${part}`;
const EDITORS = { editor: 'editor', html: 'custom_html', text: 'plain_text' } as const;
export const confirmationEditorPath = (id: string, kind: keyof typeof EDITORS) =>
  confirmationPath(id, EDITORS[kind]);

export function useForm(id: string) {
  return useQuery(api.query('GET /client-api/api/forms/{id}', { params: { id } }));
}
