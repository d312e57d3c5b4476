// Exports of the forms area for the screens of areas that depend on it.
import { api } from './queries.ts';

/** Lists all forms by title, for pickers. */
export const listFormsQuery = () =>
  api.query('GET /client-api/api/forms', {
    query: { no_paginate: 'true', order: 'title', direction: 'asc' },
  });
