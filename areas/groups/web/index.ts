// The web interface of groups for screens of higher areas.
import { api } from './queries.ts';

/** All groups by title, for pickers. */
export const allGroups = () =>
  api.query('GET /client-api/api/tags', {
    query: { no_paginate: 'true', order: 'title', direction: 'asc' },
  });
