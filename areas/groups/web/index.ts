// Exports of the groups area for the screens of areas that depend on it.
import { invalidate } from '#platform/web/api/queries.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { api, LIST_PATH } from './queries.ts';

/** Returns all groups by title, for pickers. */
export const queryAllGroups = () =>
  api.query('GET /client-api/api/tags', {
    query: { no_paginate: 'true', order: 'title', direction: 'asc' },
  });

/** Creates a group from a picker; resolves to its id, or to undefined after showing the error. */
export async function createGroup(title: string): Promise<string | undefined> {
  try {
    const { data } = await api('POST /client-api/api/tags', { body: { title } });
    await invalidate(LIST_PATH);
    return data.id;
  } catch (error) {
    showError(error);
    return undefined;
  }
}
