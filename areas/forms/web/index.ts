// The public web interface of forms, for screens of higher areas.
import { api } from './queries.ts';

/** Lists all forms by title, for pickers. */
export const listFormsQuery = () =>
  api.query('GET /client-api/api/forms', {
    query: { no_paginate: 'true', order: 'title', direction: 'asc' },
  });
