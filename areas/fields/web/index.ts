// Web interface of fields for screens of higher areas.
import { api } from './queries.ts';

/** Returns all custom fields by title, for columns and pickers. */
export const queryAllFields = () =>
  api.query('GET /client-api/api/fields', {
    query: { no_paginate: 'true', order: 'title', direction: 'asc' },
  });
