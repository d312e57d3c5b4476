// The web door of forms: what screens of higher floors may use.
import { api } from './queries.ts';

/** All forms by title, for pickers. */
export const allForms = () =>
  api.query('GET /client-api/api/forms', {
    query: { no_paginate: 'true', order: 'title', direction: 'asc' },
  });
