// The web door of groups: what screens of higher floors may use.
import { api } from './queries.ts';

/** All groups by title, for pickers. */
export const allGroups = () =>
  api.query('GET /client-api/api/tags', {
    query: { no_paginate: 'true', order: 'title', direction: 'asc' },
  });

/** Creates a group; a taken title is an error on `title`. */
export const createGroup = (title: string) => api('POST /client-api/api/tags', { body: { title } });
