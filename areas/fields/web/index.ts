// Exports of the fields area for the screens of areas that depend on it.
import { api } from './queries.ts';

/** Returns all custom fields by title, for columns and pickers. */
export const queryAllFields = () =>
  api.query('GET /client-api/api/fields', {
    query: { no_paginate: 'true', order: 'title', direction: 'asc' },
  });
